/** First id of refused calls, so that an id alone shows whether a row is a log row or a refusal. */
export const FIRST_REFUSAL = 2 ** 52;
