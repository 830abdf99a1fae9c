/** The clients that the server is tried with; those without a version here have that of the project. */
export const CLIENTS = [
  { driver: 'sdk-v1', name: '@modelcontextprotocol/sdk' },
  { driver: 'sdk-v2', name: '@modelcontextprotocol/client' },
  { driver: 'inspector', name: '@modelcontextprotocol/inspector', version: '0.15.0' },
  { driver: 'mcporter', name: 'mcporter', version: '0.9.0' },
  { driver: 'ai-sdk', name: '@ai-sdk/mcp', version: '1.0.101' },
  { driver: 'langchain', name: '@langchain/mcp-adapters', version: '1.1.4' },
  { driver: 'openai-agents', name: '@openai/agents', version: '0.20.0' },
  { driver: 'google-genai', name: '@google/genai', version: '2.32.0' },
  { driver: 'mastra', name: '@mastra/mcp', version: '0.14.5' },
  { driver: 'mcp-client', name: 'mcp-client', version: '1.13.1' },
];
