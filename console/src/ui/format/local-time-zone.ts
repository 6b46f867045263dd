/** IANA name of the browser's time zone; empty if the browser does not report it. */
export const localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || '';
