/** Headers of every answer of the relay. */
export const callHeaders = (requestId: string): Record<string, string> => ({
  'x-oneapi-request-id': requestId,
  'access-control-allow-origin': '*',
});

/** Those of a stream, which no proxy may hold back. */
export const streamHeaders = (requestId: string, contentType: string): Record<string, string> => ({
  ...callHeaders(requestId),
  'content-type': contentType,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
});
