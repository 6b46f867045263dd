export const REALTIME_PATH = '/v1/realtime';

/** Whether a path, with or without its query, is where sessions are opened. */
export const isRealtime = (url: string): boolean => /^\/v1\/realtime\/?(?:\?|$)/.test(url);
