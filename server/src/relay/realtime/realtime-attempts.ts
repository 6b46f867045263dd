import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Attempt } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { Target } from '#providers/operation.ts';
import { targetOf } from '#providers/target.ts';
import type { Hold } from '#quota/book.ts';
import { askedOf } from '#relay/upstream/address.ts';
import { type Admitted, attemptOf, coverOther, nextOf, noteTried, usesUp, whyNoMore } from '#relay/call/attempts.ts';
import { type Choice, chooseOther, newTried } from '#relay/select/choose.ts';
import { faultOf } from '#relay/outcome/fault.ts';
import { judgeUnanswered } from '#relay/outcome/judge-failure.ts';
import { noteBegun, noteOutcome, noteSuccess } from '#relay/call/note-health.ts';
import { type Sent, unsentFor } from '#relay/upstream/sent.ts';
import { refusalForCaller } from '#relay/outcome/upstream-text.ts';
import type { Verdict } from '#relay/outcome/verdict.ts';
import { type Dialled, dial } from './realtime-dial.ts';

/** A channel whose upstream has opened a session. */
export interface Answered {
  choice: Choice;
  attempts: Attempt[];
  socket: Duplex;
  /** Milliseconds from the start of the call. */
  firstMs: number;
}

/** No channel has. */
interface Unanswered {
  choice: Choice;
  attempts: Attempt[];
  verdict: Verdict;
}

/**
 * Asks the first channel for a session, and others after it where its failure may be its own: those whose higher price
 * is covered.
 */
export async function dialAny(
  deps: Deps,
  call: Admitted,
  hold: Hold,
  first: Choice,
  request: IncomingMessage,
  isGone: () => boolean,
): Promise<Answered | Unanswered> {
  const attempts: Attempt[] = [];
  const tried = newTried();
  let made = 0;
  let waitedMs = 0;
  for (let choice = first; ;) {
    if (choice.probe) noteBegun(deps, call, choice);
    const start = Math.round(performance.now() - call.startMs);
    const sent = await dialOne(deps, choice, request);
    if ('socket' in sent) {
      const { socket, ms } = sent;
      attempts.push(answered(choice, start, ms));
      noteSuccess(deps, choice, call.caller.userId);
      return { choice, attempts, socket, firstMs: start + ms };
    }
    const verdict = judgeUnanswered(choice, sent);
    if (verdict.refusal) verdict.refusal = refusalForCaller(choice, verdict.refusal);
    const attempt = attemptOf(choice, sent, verdict, start);
    attempts.push(attempt);
    deps.meter.attempted(verdict.result, choice.channel.provider.type);
    const fault = faultOf(sent, verdict);
    attempt.cause = fault.cause;
    noteOutcome(deps, call, choice, sent, verdict, fault);
    if (usesUp(fault, choice, tried)) made++;
    noteTried(deps, tried, choice, fault);
    tried.last = made === deps.live.settings.RetryTimes;
    if (fault.host !== undefined) waitedMs += sent.ms;
    const last = isGone()
      ? 'client_gone'
      : fault.retry
        ? whyNoMore(deps, call, made, performance.now() - call.startMs - waitedMs)
        : 'not_retryable';
    const next = last === undefined ? chooseOther(deps, call, tried) : undefined;
    const other = next && (await coverOther(deps, call, hold, next)) === undefined ? next : undefined;
    // What is not covered is no channel for this call.
    attempt.next = last ?? (next && !other ? 'no_other_channel' : nextOf(deps, call, other, fault, tried));
    if (!other) return { choice, attempts, verdict };
    choice = other;
  }
}

const answered = ({ channel }: Choice, start: number, ms: number): Attempt => ({
  channel_id: channel.id,
  channel_name: channel.name,
  status: 101,
  start,
  ms,
  first_byte: ms,
  result: 'ok',
});

async function dialOne(deps: Deps, choice: Choice, request: IncomingMessage): Promise<Dialled | Sent> {
  let target: Target;
  try {
    target = await targetFor(deps, choice, request);
  } catch (error) {
    return unsentFor(error);
  }
  return dial(deps.upstreams, target, { ...choice.channel, proxy: choice.key.proxy });
}

async function targetFor({ upstreams }: Deps, choice: Choice, request: IncomingMessage): Promise<Target> {
  const { channel, operation, key } = choice;
  const { provider } = channel;
  const token = provider.token ? await upstreams.token(provider.id, provider.token, key.key, key.proxy) : undefined;
  const beta = betaOf(request);
  const asked = {
    ...askedOf(choice, false, token),
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
