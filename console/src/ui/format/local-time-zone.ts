/** The zone that times are shown in, by its IANA name; empty where the browser does not tell it. */
export const localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || '';
