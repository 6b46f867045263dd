export const REALTIME_PATH = '/v1/realtime';

/** Whether a URL opens realtime sessions. */
export const isRealtime = (url: string): boolean => /^\/v1\/realtime\/?(?:\?|$)/.test(url);
