import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { HostPage, ToolCall } from './page.ts';

/** Given to the page by the test. */
declare function answerCall(call: ToolCall): Promise<CallToolResult>;

const frame = document.createElement('iframe');
let bridge: AppBridge | undefined;

function opened(): AppBridge {
  if (!bridge) throw new Error('No view is open.');
  return bridge;
}

const host: HostPage = {
  sizes: [],
  calls: [],
  told: [],
  async open({ context, widthPx, args = {}, callsTools }) {
    frame.sandbox.add('allow-scripts'); // and no origin of its own, as hosts do it
    frame.style.cssText = `width: ${widthPx}px; height: 620px; border: 0`;
    document.body.append(frame);
    const view = frame.contentWindow;
    if (!view) throw new Error('The frame has no window.');
    bridge = new AppBridge(
      null,
      { name: 'host', version: '1.0.0' },
      callsTools ? { serverTools: {}, updateModelContext: { text: {} } } : {},
      { hostContext: context },
    );
    bridge.onsizechange = (size) => void host.sizes.push(size);
    if (callsTools) {
      bridge.oncalltool = async (call) => {
        host.calls.push(call);
        return answerCall(call);
      };
      bridge.onupdatemodelcontext = async ({ content = [] }) => {
        for (const block of content) if (block.type === 'text') host.told.push(block.text);
        return {};
      };
    }
    const introduced = new Promise<void>((resolve) => {
      opened().oninitialized = () => resolve();
    });
    await bridge.connect(new PostMessageTransport(view, view));
    frame.src = '/view';
    await introduced;
    await bridge.sendToolInput({ arguments: args });
  },
  result: (result) => opened().sendToolResult(result),
  context: async (changed) => opened().sendHostContextChange(changed),
  resize(widthPx) {
    frame.style.width = `${widthPx}px`;
  },
};

Object.assign(globalThis, { host });
