import { openFilesLimit } from '#process/out-of-files.ts';

/** Timeouts and counts of client connections. Times are in milliseconds. */
export interface ConnectionLimits {
  /** From the first byte of a request, or from accepting the connection, to the end of the headers. */
  headersMs: number;
  /** Between two chunks of a request body. */
  bodyIdleMs: number;
  /** Minimum rate of a request body in bytes per second, averaged over twice `bodyIdleMs`. */
  bodyRate: number;
  /** Between a response and the next request. */
  keepAliveMs: number;
  /** How long a client may leave a waiting response unread. */
  sendMs: number;
  total: number;
  /** Per address; per /64 network for IPv6. */
  perAddress: number;
}

const MOST = 10_000;
/** Files for the database, the journal, logs and the like. */
const OTHER_FILES = 128;

/** A call needs a client connection and an upstream connection, so clients get half of the file descriptors. */
export function defaultTotal(files = openFilesLimit()): number {
  return files === undefined ? MOST / 2 : Math.max(16, Math.min(MOST, Math.floor((files - OTHER_FILES) / 2)));
}

/** One address cannot take all connections, but a proxy missing from TRUSTED_PROXIES should have enough. */
export const defaultPerAddress = (total: number): number =>
  Math.max(Math.floor(total / 4), Math.min(256, Math.ceil(total / 2)));
