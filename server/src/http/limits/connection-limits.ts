import { openFilesLimit } from '#process/out-of-files.ts';

/** How long callers may take, and how many of them may be connected. Times are in milliseconds. */
export interface ConnectionLimits {
  /** From the first byte of a request, or from the start of a connection, to the end of the headers. */
  headersMs: number;
  /** Between two pieces of a request body. */
  bodyIdleMs: number;
  /** Bytes per second that a body must bring, over a period of `bodyIdleMs` twice. */
  bodyRate: number;
  /** Between an answer and the next request. */
  keepAliveMs: number;
  /** How long a caller may take nothing of an answer that waits for it. */
  sendMs: number;
  total: number;
  /** For one address, or one /64 of IPv6. */
  perAddress: number;
}

const MOST = 10_000;
/** For the database, the journal, logs and the like. */
const OTHER_FILES = 128;

/** A call needs a connection to its caller and one to its upstream, so half of the file descriptors are for callers. */
export function defaultTotal(files = openFilesLimit()): number {
  return files === undefined ? MOST / 2 : Math.max(16, Math.min(MOST, Math.floor((files - OTHER_FILES) / 2)));
}

/** One address cannot take all connections; yet a proxy that is not named in TRUSTED_PROXIES should have enough. */
export const defaultPerAddress = (total: number): number =>
  Math.max(Math.floor(total / 4), Math.min(256, Math.ceil(total / 2)));
