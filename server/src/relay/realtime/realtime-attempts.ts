import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Attempt } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { CallTarget } from '#providers/operation.ts';
import { targetOf } from '#providers/target.ts';
import type { Hold } from '#quota/book.ts';
import {
  attemptRecord,
  choiceWithRoom,
  countsAsRetry,
  nextStepFor,
  noteTried,
  reportRefusal,
  reserveMore,
  whyNotRetried,
} from '#relay/call/attempts.ts';
import { endFailedRoom } from '#relay/call/channel-room.ts';
import { noteOutcome, noteProbe, noteSuccess } from '#relay/call/note-health.ts';
import type { CallContext, ChannelChoice, RelayCall, Verdict } from '#relay/types/call-types.ts';
import { faultOf } from '#relay/outcome/fault.ts';
import { judgeUnanswered } from '#relay/outcome/judge-failure.ts';
import { refusalForCaller } from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { chooseNextChannel, newTried } from '#relay/select/choose-channel.ts';
import { fitChoice } from '#relay/select/fit-options.ts';
import { operationInput } from '#relay/upstream/address.ts';
import { type AttemptResult, keyFailure } from '#relay/types/attempt-result.ts';
import { dial, type DialledSocket } from './realtime-dial.ts';
import type { Upgrade } from './realtime-sockets.ts';

/** A channel whose upstream has opened a session. */
export interface OpenedUpstream {
  choice: ChannelChoice;
  attempts: Attempt[];
  socket: Duplex;
  /** Milliseconds from the start of the call. */
  firstMs: number;
}

/** Every channel failed; `verdict` is that of the last one. */
interface FailedDials {
  choice: ChannelChoice;
  attempts: Attempt[];
  verdict: Verdict;
}

/** A call whose credits are reserved for its first channel. */
interface ReservedCall {
  call: RelayCall;
  choice: ChannelChoice;
  hold: Hold;
}

/** The channel with the rates of the session, by region and time. */
export function sessionAt(deps: Deps, call: RelayCall, choice: ChannelChoice): ChannelChoice {
  fitChoice(deps, call, choice);
  return choice;
}

/** Opens a session at the first channel, or at another one after a failure, if its higher price can be reserved. */
export async function dialChannels(
  { deps, request }: CallContext,
  { call, choice: first, hold }: ReservedCall,
  { socket: caller }: Upgrade,
): Promise<OpenedUpstream | FailedDials> {
  const attempts: Attempt[] = [];
  const tried = newTried();
  let made = 0;
  let excusedMs = 0;
  let last: Verdict | undefined;
  for (let choice = first; ;) {
    if (choice.channel.limits) {
      const next = () => {
        const other = chooseNextChannel(deps, call, tried);
        return other && sessionAt(deps, call, other);
      };
      const roomy = await choiceWithRoom(
        deps,
        { call, choice, hold },
        { tried, next, caller: last ? undefined : caller },
      );
      if (roomy instanceof RelayError) return { choice, attempts, verdict: refusedDial(roomy, last) };
      choice = roomy;
    }
    if (choice.probe) noteProbe(deps, call, choice);
    const start = Math.round(performance.now() - call.startMs);
    const result = await dialOne({ deps, request }, choice);
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
    last = verdict;
    endFailedRoom(deps, call, verdict, result);
    const fault = faultOf(result, verdict);
    attempt.cause = fault.cause;
    noteOutcome(deps, call, choice, { result, verdict, fault });
    reportRefusal(deps, call, choice, { verdict, fault });
    if (countsAsRetry(fault, choice, tried)) made++;
    noteTried(deps, tried, choice, fault);
    tried.isLastAttempt = made === deps.live.settings.RetryTimes;
    if (fault.unreachableHost !== undefined) excusedMs += result.ms;
    const spentMs = performance.now() - call.startMs - excusedMs;
    const final = caller.destroyed ? 'client_gone' : whyNotRetried(deps, call, fault, { made, spentMs });
    const candidate = final === undefined ? chooseNextChannel(deps, call, tried) : undefined;
    if (candidate) sessionAt(deps, call, candidate);
    const next = candidate && (await reserveMore(deps, call, hold, candidate)) === undefined ? candidate : undefined;
    // A channel that the caller cannot pay for does not count as one.
    attempt.next = final ?? (candidate && !next ? 'no_other_channel' : nextStepFor(deps, call, next, { fault, tried }));
    if (!next) return { choice, attempts, verdict };
    choice = next;
  }
}

/** The last failure if there was one, else the refusal for limits. */
const refusedDial = (refusal: RelayError, last: Verdict | undefined): Verdict =>
  last ?? failedVerdict(refusal.code, refusal.message, refusal);

const openedRecord = ({ channel }: ChannelChoice, start: number, ms: number): Attempt => ({
  channel_id: channel.id,
  channel_name: channel.name,
  status: 101,
  start,
  ms,
  first_byte: ms,
  result: 'ok',
});

type DialContext = Pick<CallContext, 'deps' | 'request'>;

async function dialOne(context: DialContext, choice: ChannelChoice): Promise<DialledSocket | AttemptResult> {
  let target: CallTarget;
  try {
    target = await targetFor(context, choice);
  } catch (error) {
    return keyFailure(error);
  }
  return dial(context.deps.upstreams, target, { ...choice.channel, proxy: choice.key.proxy });
}

async function targetFor({ deps, request }: DialContext, choice: ChannelChoice): Promise<CallTarget> {
  const { channel, operation, key } = choice;
  const { provider } = channel;
  const token = provider.token
    ? await deps.upstreams.token(provider.id, provider.token, key.key, key.proxy)
    : undefined;
  const beta = betaOf(request);
  const input = {
    ...operationInput(choice, false, token),
    ...(beta !== undefined && { callerHeaders: { 'openai-beta': beta } }),
  };
  const target = targetOf(provider, operation, input);
  return { ...target, headers: { ...key.headers, ...target.headers } };
}

/** Clients of the beta name it in a header; browsers, in a WebSocket protocol. */
function betaOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['openai-beta'];
  if (typeof header === 'string') return header;
  return headers['sec-websocket-protocol']?.includes('openai-beta.realtime-v1') ? 'realtime=v1' : undefined;
}
