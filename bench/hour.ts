import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { AttemptKind } from '@relay-hub/contract';
import { readCommand } from '../server/src/process/command-line.ts';
import { cockpitOf } from '../server/src/live/hour/cockpit-of.ts';
import { HourSum } from '../server/src/live/hour/hour-sum.ts';
import { type EndedCall, Minute } from '../server/src/live/hour/minute.ts';
import { minuteToText } from '../server/src/live/hour/minute-text.ts';
import { Meter } from '../server/src/metrics/meter.ts';
import { median } from './statistics.ts';

readCommand({
  name: 'tool bench:hour',
  about: 'Measures what counting a call for the live view costs, next to counting it for the metrics.',
});

const CALLS = 300_000;
const ROUNDS = 9;
const MINUTE_CALLS = 60_000;
const TOKENS = 300;
const MODELS = 40;
const CHANNELS = 60;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ok: AttemptKind = 'ok';

const calls = Array.from({ length: 4096 }, (_, at): EndedCall => {
  const tokenId = 1 + ((at * 7919) % TOKENS);
  const firstMs = 200 + ((at * 31) % 3000);
  return {
    caller: { tokenId, userId: 1 + (tokenId % 200), username: `user-${tokenId % 200}`, tokenName: `token-${tokenId}` },
    model: `model-${at % MODELS}`,
    failed: false,
    credits: at,
    firstMs,
    attemptFirstMs: firstMs,
    attempts: [[1 + (at % CHANNELS), ok]],
  };
});

/** Nanoseconds per call; 1,000 calls per second begin a minute after 60,000. */
function hourNs(): number {
  let minute = new Minute(0);
  const start = performance.now();
  for (let at = 0; at < CALLS; at++) {
    if (at % MINUTE_CALLS === 0) minute = new Minute(at / MINUTE_CALLS);
    minute.ended(calls[at & 4095]!, 0); // 4,096 of them
  }
  return ((performance.now() - start) / CALLS) * 1e6;
}

function meterNs(): number {
  const meter = new Meter();
  const start = performance.now();
  for (let at = 0; at < CALLS; at++) {
    const { credits, firstMs } = calls[at & 4095]!; // 4,096 of them
    const tokens = { prompt: 100, completion: 100, cached: 0 };
    const call = { endpoint: '/v1/chat/completions', outcome: 'answered', status: 200, channelType: 1 } as const;
    meter.ended({ ...call, firstMs, totalMs: 3000, credits, tokens });
  }
  return ((performance.now() - start) / CALLS) * 1e6;
}

hourNs();
meterNs();
const pairs = Array.from({ length: ROUNDS }, () => ({ hour: hourNs(), meter: meterNs() }));
const hour = median(pairs.map((pair) => pair.hour));
const ratio = median(pairs.map((pair) => pair.hour / pair.meter));

const minutes = Array.from({ length: 60 }, (_, number) => {
  const minute = new Minute(number);
  for (const call of calls) minute.ended(call, 0);
  return minute;
});
const timed = (work: () => unknown): number => {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return median(times);
};
const sum = new HourSum();
for (const minute of minutes) sum.add(minute);
const state = timed(() =>
  cockpitOf({ sum: sum.copy(), minutes, first: 0, count: 60, now: 3600 }, () => ({
    name: '',
    type: 1,
    frozenUntil: 0,
    isFailing: false,
    isSlow: false,
  })),
);
const whole = timed(() => minutes.forEach((minute) => new HourSum().add(minute)));
const text = timed(() => minuteToText(minutes[0]!)); // sixty of them

say(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}`);
say(`${Math.round(hour)} ns a call, ${ratio.toFixed(2)} times what the metrics cost`);
say(`${(((hour * 1000) / 1e9) * 100).toFixed(3)} % of a core at 1,000 calls per second`);
say(`${TOKENS} tokens, ${MODELS} models, ${CHANNELS} channels in each of 60 minutes:`);
say(`  ${text.toFixed(2)} ms to write a minute, once in 5 s; ${whole.toFixed(1)} ms to add up the hour, once a minute`);
say(`  ${state.toFixed(1)} ms to make the state, at most once in 2 s while somebody watches`);
