import type { ServerResponse } from 'node:http';
import type { Attempt } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { Caller } from '#live/callers.ts';
import { ANY_MODEL, type Choice, chooseOther, type Tried, type Wanted } from './choose.ts';
import { type Exchange, readyExchange } from './exchange.ts';
import { streamHeaders } from './headers.ts';
import { judge, type Verdict } from './judge.ts';
import { isWorthRetry, retryAfterMs } from './retry-rules.ts';
import { send, type Sent, type Stopping } from './send.ts';

/** A call that was admitted, before it is known which channel answers it. */
export interface Admitted extends Wanted {
  caller: Caller;
  requestId: string;
  endpoint: string;
  sourceIp: string;
  startMs: number;
  /** Unix seconds. */
  startedS: number;
  /** A stream is to be one JSON list: Gemini's, where no events were asked for. */
  asList: boolean;
  reserved: number;
}

/** How a call ended, at the channel that answered or failed last. */
export interface Ended {
  choice: Choice;
  exchange: Exchange;
  sent: Sent;
  verdict: Verdict;
  attempts: Attempt[];
  /** Milliseconds from the start of the call to the first byte of the answer; undefined: there was none. */
  firstMs: number | undefined;
}

/** Why an attempt was the last one. */
type Last = NonNullable<Attempt['next']>;

/** Asks the chosen channel, and others after it while nothing has reached the caller and the failure may be the channel's. */
export async function attemptAll(
  deps: Deps,
  call: Admitted,
  first: Choice,
  body: Buffer,
  response: ServerResponse,
  stopping: Stopping,
): Promise<Ended> {
  const attempts: Attempt[] = [];
  const tried: Tried = { channels: new Set(), keys: new Set() };
  let waitedMs = 0;
  let choice = first;
  for (;;) {
    const start = Math.round(performance.now() - call.startMs);
    const exchange = await readyExchange(deps, call, choice, body);
    const sent = await sendTo(deps, choice, exchange, call.requestId, response, stopping);
    const verdict = judge({ request: call.request, choice, exchange }, sent);
    const attempt = attemptOf(choice, sent, verdict, start);
    attempts.push(attempt);
    noteHealth(deps, choice, sent, verdict);
    const firstMs = sent.firstByteMs ?? sent.headMs;
    const ended: Ended = {
      choice,
      exchange,
      sent,
      verdict,
      attempts,
      firstMs: firstMs === undefined ? undefined : start + firstMs,
    };
    if (verdict.outcome !== 'failed') return ended;

    if (isOfKey(sent) && choice.channel.keys.length > 1) tried.keys.add(choice.key.id);
    else tried.channels.add(choice.channel.id);
    // Waiting for a channel that says nothing is the channel's time, not the caller's patience for retries.
    if (sent.failure?.code === 'first_token_timeout') waitedMs += sent.ms;
    const last = whyLast(deps, call, sent, verdict, attempts.length, waitedMs, response, stopping);
    const other = last === undefined ? chooseOther(deps, call, tried) : undefined;
    attempt.next = last ?? (other ? 'retried' : 'no_other_channel');
    if (!other) return ended;
    choice = other;
  }
}

function sendTo(
  deps: Deps,
  { channel }: Choice,
  exchange: Exchange,
  requestId: string,
  response: ServerResponse,
  stopping: Stopping,
): Promise<Sent> {
  return send(
    deps.upstreams,
    { ...exchange, channel },
    {
      response,
      stream: exchange.stream,
      startStream: (contentType) =>
        response.writeHead(200, streamHeaders(requestId, exchange.streamType ?? contentType)),
    },
    stopping,
  );
}

function attemptOf({ channel }: Choice, sent: Sent, verdict: Verdict, start: number): Attempt {
  const firstMs = sent.firstByteMs ?? sent.headMs;
  return {
    channel_id: channel.id,
    channel_name: channel.name,
    status: sent.status,
    start,
    ms: sent.ms,
    ...(firstMs !== undefined && { first_byte: firstMs }),
    result: verdict.result,
    ...(verdict.message !== undefined && { message: verdict.message }),
  };
}

/** A failure that may be the channel's freezes it for that model, whether or not another one is asked. */
function noteHealth({ live }: Deps, { channel, key, upstreamModel }: Choice, sent: Sent, verdict: Verdict): void {
  if (verdict.outcome !== 'failed') {
    if (live.health.untroubled) return;
    live.health.succeeded(-key.id, ANY_MODEL);
    return live.health.succeeded(channel.id, upstreamModel);
  }
  if (!isWorthRetry(sent, verdict)) return;
  const now = Date.now();
  const asked = sent.status === 429 || sent.status === 503 ? retryAfterMs(sent.retryAfter, now) : undefined;
  const cooldownMs = live.settings.RetryCooldownSeconds * 1000;
  // What was refused for its key is not held against the channel as long as there are other keys.
  if (isOfKey(sent) && channel.keys.length > 1) live.health.failed(-key.id, ANY_MODEL, cooldownMs, asked, now);
  else live.health.failed(channel.id, upstreamModel, cooldownMs, asked, now);
}

/** A refusal of the key, or of what it may still use. */
const isOfKey = ({ status }: Sent): boolean => status === 401 || status === 402 || status === 403 || status === 429;

/** Why no other channel is asked; undefined: one may be. */
function whyLast(
  { live }: Deps,
  call: Admitted,
  sent: Sent,
  verdict: Verdict,
  made: number,
  waitedMs: number,
  response: ServerResponse,
  stopping: Stopping,
): Last | undefined {
  if (response.headersSent) return 'answer_had_begun';
  if (sent.clientGone) return 'client_gone';
  if (stopping.now) return 'stopping';
  if (!isWorthRetry(sent, verdict)) return 'not_retryable';
  if (call.pin !== undefined) return 'pinned';
  if (made > live.settings.RetryTimes) return 'out_of_attempts';
  if (performance.now() - call.startMs - waitedMs > live.settings.RetryTimeOut * 1000) return 'out_of_time';
  return undefined;
}
