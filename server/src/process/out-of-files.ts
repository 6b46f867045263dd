import { codeOf } from '#caught-error.ts';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from 'pino';

/** DNS errors; a lookup without a free file descriptor fails with these too. */
const lookupFailures = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_SYSTEM', 'EAI_FAIL']);

/** Whether an error, or its cause, means that this process or machine has no file descriptors left. */
export function isOutOfFiles(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const code = codeOf(cause);
    const errors: unknown = 'errors' in cause ? cause.errors : undefined;
    if (isShortage(code)) return true;
    if (code !== undefined && lookupFailures.has(code) && noneLeft()) return true;
    if (Array.isArray(errors) && errors.some((one) => isShortage(codeOf(one)))) return true;
  }
  return false;
}

const isShortage = (code: string | undefined): boolean => code === 'EMFILE' || code === 'ENFILE';

function noneLeft(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    return isShortage(codeOf(error));
  }
}

/** Limit of open files of this process; undefined if the system does not report it. */
export function openFilesLimit(): number | undefined {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Where the lack was noticed. */
type Where = 'accept' | 'call' | 'api';

/** Minimum time between two log lines. */
const QUIET_MS = 10_000;

/** Reports a lack of file descriptors: in the process log, at intervals, and as metrics. */
export class OutOfFiles {
  readonly counts = new Map<Where, number>();
  readonly #log: Pick<Logger, 'error'>;
  #toldAt = -Infinity;

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  note(where: Where): void {
    this.counts.set(where, (this.counts.get(where) ?? 0) + 1);
    const now = performance.now();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    const hint = 'Raise the limit of open files (ulimit -n), or lower MAX_CONNECTIONS.';
    this.#log.error({ where, limit: openFilesLimit(), hint }, 'no file descriptors left');
  }
}
