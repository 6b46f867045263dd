import { performance } from 'node:perf_hooks';
import type { UsageMark } from '@relay-hub/contract';
import type { BatchRunner } from '#quota/batch-items.ts';
import { Spread } from './spread.ts';

/** Outcomes of calls; `refused`: before any channel was tried. */
export const callOutcomes = ['answered', 'client_gone', 'broken', 'failed', 'refused'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** Calls with the same outcome. `channelType` 0: no channel was tried. */
export interface CallCount {
  outcome: CallOutcome;
  status: number;
  channelType: number;
  count: number;
}

/** The calls of one endpoint. Times are in seconds. */
interface EndpointCounts {
  calls: Map<number, CallCount>;
  firstByte: Spread;
  total: Spread;
}

interface AttemptCount {
  channelType: number;
  count: number;
}

/** Numbers of a finished call. Times are in milliseconds. */
export interface MeteredCall {
  endpoint: string;
  outcome: CallOutcome;
  status: number;
  channelType: number;
  firstMs: number | undefined;
  totalMs: number;
  credits: number;
  tokens: { prompt: number; completion: number; cached: number };
}

const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const BATCH_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Some paths have a part that callers choose; it must not create series without bound. */
const MOST_ENDPOINTS = 64;
const OTHERS = 'other';

/** Counters of this process as plain numbers, nearly free per call; read when metrics are scraped. */
export class Meter {
  readonly endpoints = new Map<string, EndpointCounts>();
  /** By result, then by channel type. */
  readonly attempts = new Map<string, Map<number, AttemptCount>>();
  readonly batches = new Spread(BATCH_SECONDS);
  readonly tokens = { prompt: 0, completion: 0, cached: 0 };
  /** Calls with doubtful usage. */
  readonly doubts: Record<UsageMark, number> = { implausible: 0, unusual: 0 };
  credits = 0;
  failedBatches = 0;

  /** An admitted call that has ended. */
  ended({ endpoint, outcome, status, channelType, firstMs, totalMs, credits, tokens }: MeteredCall): void {
    const counts = this.#count(endpoint, outcome, status, channelType);
    if (firstMs !== undefined) counts.firstByte.add(firstMs / 1000);
    counts.total.add(totalMs / 1000);
    this.credits += credits;
    this.tokens.prompt += tokens.prompt;
    this.tokens.completion += tokens.completion;
    this.tokens.cached += tokens.cached;
  }

  /** A call refused before any channel was tried, or ended by an internal error. */
  refused(endpoint: string, outcome: 'refused' | 'failed', status: number): void {
    this.#count(endpoint, outcome, status, 0);
  }

  doubted(mark: UsageMark): void {
    this.doubts[mark]++;
  }

  attempted(result: string, channelType: number): void {
    let byType = this.attempts.get(result);
    if (!byType) this.attempts.set(result, (byType = new Map<number, AttemptCount>()));
    const counted = byType.get(channelType);
    if (counted) counted.count++;
    else byType.set(channelType, { channelType, count: 1 });
  }

  /** A runner that measures the duration of batches. */
  timed(run: BatchRunner): BatchRunner {
    return async (batch) => {
      const start = performance.now();
      try {
        return await run(batch);
      } catch (error) {
        this.failedBatches++;
        throw error;
      } finally {
        this.batches.add((performance.now() - start) / 1000);
      }
    };
  }

  #count(endpoint: string, outcome: CallOutcome, status: number, channelType: number): EndpointCounts {
    const counts = this.#of(endpoint);
    const key = (channelType * callOutcomes.length + callOutcomes.indexOf(outcome)) * 1000 + status;
    const counted = counts.calls.get(key);
    if (counted) counted.count++;
    else counts.calls.set(key, { outcome, status, channelType, count: 1 });
    return counts;
  }

  #of(endpoint: string): EndpointCounts {
    const known = this.endpoints.get(endpoint);
    if (known) return known;
    if (this.endpoints.size >= MOST_ENDPOINTS && endpoint !== OTHERS) return this.#of(OTHERS);
    const counts = { calls: new Map<number, CallCount>(), firstByte: callSpread(), total: callSpread() };
    this.endpoints.set(endpoint, counts);
    return counts;
  }
}

const callSpread = (): Spread => new Spread(CALL_SECONDS);
