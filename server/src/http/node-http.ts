/**
 * Node's HTTP without the cost of `import`, which evaluates every export, also those that load Node's `fetch` and
 * `WebSocket` (12 MB, unused here).
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
