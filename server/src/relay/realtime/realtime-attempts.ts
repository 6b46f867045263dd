import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Attempt } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { Target } from '#providers/operation.ts';
import { targetOf } from '#providers/target.ts';
import type { Hold } from '#quota/book.ts';
import { operationInput } from '#relay/upstream/address.ts';
import { attemptRecord, reserveMore, nextStepFor, noteTried, countsAsRetry, whyNoRetry } from '#relay/call/attempts.ts';
import { chooseNextChannel, newTried } from '#relay/select/choose-channel.ts';
import { faultOf } from '#relay/outcome/fault.ts';
import { judgeUnanswered } from '#relay/outcome/judge-failure.ts';
import { noteProbe, noteOutcome, noteSuccess } from '#relay/call/note-health.ts';
import { type AttemptResult, keyFailure } from '#relay/upstream/attempt-result.ts';
import { refusalForCaller } from '#relay/outcome/upstream-text.ts';
import { type DialledSocket, dial } from './realtime-dial.ts';
import type { ChannelChoice, RelayCall, Verdict } from '#relay/call/types.ts';

/** A channel whose upstream has opened a session. */
export interface OpenedUpstream {
  choice: ChannelChoice;
  attempts: Attempt[];
  socket: Duplex;
  /** Milliseconds from the start of the call. */
  firstMs: number;
}

/** No channel has. */
interface FailedDials {
  choice: ChannelChoice;
  attempts: Attempt[];
  verdict: Verdict;
}

/**
 * Asks the first channel for a session, and others after it where its failure may be its own: those whose higher price
 * is covered.
 */
export async function dialAny(
  deps: Deps,
  call: RelayCall,
  hold: Hold,
  first: ChannelChoice,
  request: IncomingMessage,
  isGone: () => boolean,
): Promise<OpenedUpstream | FailedDials> {
  const attempts: Attempt[] = [];
  const tried = newTried();
  let made = 0;
  let waitedMs = 0;
  for (let choice = first; ;) {
    if (choice.probe) noteProbe(deps, call, choice);
    const start = Math.round(performance.now() - call.startMs);
    const result = await dialOne(deps, choice, request);
    if ('socket' in result) {
      const { socket, ms } = result;
      attempts.push(openedRecord(choice, start, ms));
      noteSuccess(deps, choice, call.caller.userId);
      return { choice, attempts, socket, firstMs: start + ms };
    }
    const verdict = judgeUnanswered(choice, result);
    if (verdict.refusal) verdict.refusal = refusalForCaller(choice, verdict.refusal);
    const attempt = attemptRecord(choice, result, verdict, start);
    attempts.push(attempt);
    deps.meter.attempted(verdict.code, choice.channel.provider.type);
    const fault = faultOf(result, verdict);
    attempt.cause = fault.cause;
    noteOutcome(deps, call, choice, result, verdict, fault);
    if (countsAsRetry(fault, choice, tried)) made++;
    noteTried(deps, tried, choice, fault);
    tried.isLastAttempt = made === deps.live.settings.RetryTimes;
    if (fault.unreachableHost !== undefined) waitedMs += result.ms;
    const last = isGone()
      ? 'client_gone'
      : fault.retry
        ? whyNoRetry(deps, call, made, performance.now() - call.startMs - waitedMs)
        : 'not_retryable';
    const next = last === undefined ? chooseNextChannel(deps, call, tried) : undefined;
    const other = next && (await reserveMore(deps, call, hold, next)) === undefined ? next : undefined;
    // What is not covered is no channel for this call.
    attempt.next = last ?? (next && !other ? 'no_other_channel' : nextStepFor(deps, call, other, fault, tried));
    if (!other) return { choice, attempts, verdict };
    choice = other;
  }
}

const openedRecord = ({ channel }: ChannelChoice, start: number, ms: number): Attempt => ({
  channel_id: channel.id,
  channel_name: channel.name,
  status: 101,
  start,
  ms,
  first_byte: ms,
  result: 'ok',
});

async function dialOne(
  deps: Deps,
  choice: ChannelChoice,
  request: IncomingMessage,
): Promise<DialledSocket | AttemptResult> {
  let target: Target;
  try {
    target = await targetFor(deps, choice, request);
  } catch (error) {
    return keyFailure(error);
  }
  return dial(deps.upstreams, target, { ...choice.channel, proxy: choice.key.proxy });
}

async function targetFor({ upstreams }: Deps, choice: ChannelChoice, request: IncomingMessage): Promise<Target> {
  const { channel, operation, key } = choice;
  const { provider } = channel;
  const token = provider.token ? await upstreams.token(provider.id, provider.token, key.key, key.proxy) : undefined;
  const beta = betaOf(request);
  const asked = {
    ...operationInput(choice, false, token),
    ...(beta !== undefined && { callerHeaders: { 'openai-beta': beta } }),
  };
  const target = targetOf(provider, operation, asked);
  return { ...target, headers: { ...key.headers, ...target.headers } };
}

/** Whoever still speaks the beta says so in a header, or in a browser by a protocol. */
function betaOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['openai-beta'];
  if (typeof header === 'string') return header;
  return headers['sec-websocket-protocol']?.includes('openai-beta.realtime-v1') ? 'realtime=v1' : undefined;
}
