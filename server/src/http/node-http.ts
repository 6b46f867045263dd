/**
 * Node's HTTP without what an `import` of it brings along: that reads every export once, also those that load Node's own
 * `fetch` and `WebSocket`, which nobody here uses and which take 12 MB.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
