/** Unix seconds as `2026-01-31 09:00 UTC`. */
export const utcText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
