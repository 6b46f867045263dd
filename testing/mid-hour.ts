import { afterAll, beforeAll, vi } from 'vitest';

const HOUR_MS = 3_600_000;

/**
 * Stops the clock of a suite in the middle of the hour, for suites that count by hours or days. Called before the hub
 * is started.
 */
export function inMidHour(): void {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / HOUR_MS) + 0.5) * HOUR_MS }));
  afterAll(() => void vi.useRealTimers());
}
