export const REALTIME_PATH = '/v1/realtime';

/** The name of live sessions at Google in logs and metrics. */
export const LIVE_PATH = '/gemini/live';

const openAi = /^\/v1\/realtime\/?(?:\?|$)/;
const google =
  /^\/gemini\/ws\/google\.ai\.generativelanguage\.v\d[a-z\d]*\.GenerativeService\.BidiGenerateContent\/?(?:\?|$)/;

/** Whether a URL opens live sessions in Google's dialect. */
export const isLive = (url: string): boolean => google.test(url);

/** Whether a URL opens realtime sessions, in any dialect. */
export const isRealtime = (url: string): boolean => openAi.test(url) || isLive(url);
