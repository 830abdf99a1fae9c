import type { Dispatcher } from 'undici';
import { abortable } from './deadline.ts';

/** Bytes that may wait to be taken before the sender is slowed down; they are taken together. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** By name in small letters. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request, and who hears how it goes on. */
export interface StreamedRequest {
  readonly dispatcher: Dispatcher;
  readonly options: Dispatcher.DispatchOptions;
  readonly signal: AbortSignal;
  /** Called with the response and with each chunk of it. */
  readonly onActivity: () => void;
  /** Makes the error that is thrown of the one that ended the response. */
  readonly failure: (error: unknown) => unknown;
}

/** The beginning of a response, and its bytes as they arrive. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: AsyncIterable<readonly Buffer[]>;
  /** Ends the response, read or not. */
  readonly abort: () => void;
}

/**
 * Sends a request and gives the chunks of its response in their order. What has arrived before a failure is given before it is thrown: a
 * stream would drop that, and a download over a bad line would never get further. Streams would also add a fifth to the processor time of
 * a large file.
 */
export function receive({ dispatcher, options, signal, onActivity, failure }: StreamedRequest): Promise<StreamedResponse> {
  let chunks: Buffer[] = [];
  let waitingBytes = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let end: { readonly error?: unknown } | undefined;
  let wake = nothing;
  let waking: NodeJS.Immediate | undefined;

  const stop = () => controller?.abort(new Error('closed'));
  function finish(how: { readonly error?: unknown }): void {
    end ??= how;
    signal.removeEventListener('abort', stop);
    wake();
  }

  async function* arriving() {
    for (;;) {
      if (chunks.length > 0) {
        const taken = chunks;
        [chunks, waitingBytes] = [[], 0];
        if (controller?.paused) controller.resume();
        yield taken;
      } else if (end) {
        if ('error' in end) throw failure(end.error);
        return;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  const answer = new Promise<StreamedResponse>((resolve, reject) => {
    dispatcher.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      },
      onResponseStart(_controller, status, headers) {
        onActivity();
        if (status >= 200) resolve({ status, headers, body: arriving(), abort: stop });
      },
      onResponseData(from, chunk) {
        onActivity();
        chunks.push(chunk);
        waitingBytes += chunk.length;
        if (waitingBytes >= MOST_WAITING_BYTES) from.pause();
        // Once for all that this turn of the event loop reads.
        waking ??= setImmediate(() => {
          waking = undefined;
          wake();
        });
      },
      onResponseEnd: () => finish({}),
      onResponseError(_controller, error) {
        finish({ error });
        reject(error);
      },
    });
  });
  // While the connection is being opened there is nothing yet that could be aborted.
  return abortable(answer, signal);
}

function nothing(): void {}
