import type { Usage } from '@relay-hub/contract';
import { completionTokens, noUsage } from '@relay-hub/contract';
import { estimateTokens } from '#quota/estimate.ts';
import { masked } from '#secrets.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { vendorErrorIn } from '#chat/vendor-errors.ts';
import type { Choice } from './choose.ts';
import { type Exchange, saidIn } from './exchange.ts';
import type { ParsedRequest } from './dialects/open-ai.ts';
import { errorIn, parseObject, readReply } from './json-reply.ts';
import { RelayError } from './relay-error.ts';
import type { Sent } from './send.ts';

/** A request, and what was asked of which channel. */
export interface Judged {
  request: ParsedRequest;
  choice: Choice;
  exchange: Exchange;
}

/** What an attempt came to: for the caller, and for the books. */
export interface Verdict {
  /** `client_gone` also where the channel has calls of callers who left broken off. */
  outcome: 'answered' | 'client_gone' | 'broken' | 'failed';
  usage: Usage;
  usageSource: 'upstream' | 'estimate';
  /** What an answer says whose usage was not told, so that it can be counted better than by its length. */
  said?: string;
  finishReason: string | undefined;
  /** For the attempt's line in the log row: `ok`, or a code. */
  result: string;
  /** What the upstream said when it failed, masked. */
  message: string | undefined;
  /** Told to the caller: as the answer, or as the last event of a stream that has begun. */
  refusal?: RelayError;
  reply?: { status: number; contentType: string; body: Buffer };
  /** The end of a stream, kept back until the charge is written. */
  tail?: Buffer | undefined;
}

/** Decides what an attempt's end means. */
export function judge(call: Judged, sent: Sent): Verdict {
  if (sent.stream) return judgeStream(call, sent, sent.stream);
  if (sent.failure?.code === 'client_gone') return leftUnread(call);
  if (sent.failure?.code === 'key_unusable')
    return failed('key_unusable', said(call, sent.failure.message), rejected());
  if (sent.failure) return failed(sent.failure.code, sent.failure.message, unreachable(sent));
  if (sent.status < 200 || sent.status >= 300) return judgeRefusal(call, sent);
  return judgeReply(call, sent);
}

function judgeStream(call: Judged, sent: Sent, stream: NonNullable<Sent['stream']>): Verdict {
  const tail = stream.rest();
  const told = stream.usage();
  const { finishReason } = stream;
  const whole =
    stream.error === undefined && (stream.done || (finishReason !== undefined && sent.failure === undefined));
  const heard = { ...noUsage, input: call.request.inputTokens, output: stream.estimatedOutput() };
  const known = { usage: told ?? heard, usageSource: told ? 'upstream' : 'estimate', finishReason } as const;
  const brokenOff = sent.failure?.code === 'client_gone';
  if (whole || brokenOff)
    return {
      ...known,
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      result: brokenOff ? 'client_gone' : 'ok',
      message: undefined,
      tail,
    };

  const result = stream.error === undefined ? (sent.failure?.code ?? 'stream_broken') : 'error_in_stream';
  const message = said(call, stream.error ?? sent.failure?.message ?? 'the stream ended before its end');
  const refusal = new RelayError(502, 'upstream_error', 'stream_broken', `The upstream broke off: ${message}.`);
  // Nothing was produced, so nothing is charged.
  if (stream.estimatedOutput() === 0 && completionTokens(told ?? noUsage) === 0)
    return { ...failed(result, message, refusal), finishReason };
  return { ...known, outcome: 'broken', result, message, refusal };
}

/** The same of an answer that is not OpenAI's, or that the caller does not get as it is. */
function judgeOther(call: Judged, sent: Sent, read: NonNullable<Exchange['reply']>): Verdict {
  try {
    const json = parseJson(sent.body);
    const error = vendorErrorIn(json);
    if (error) throw new BadReply({ code: 'error_in_reply', message: error.message });
    const { reply, told } = read(json);
    return {
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      ...(reply.usage
        ? { usage: reply.usage, usageSource: 'upstream' as const }
        : estimated(call, saidIn(reply.parts))),
      finishReason: reply.finish,
      result: 'ok',
      message: undefined,
      reply: { status: 200, ...(told ?? { contentType: sent.contentType || 'application/json', body: sent.body }) },
    };
  } catch (error) {
    // Whatever an upstream says, the call is settled: a reader that stumbles over it found no answer.
    const fault = error instanceof BadReply ? error.fault : { code: 'bad_reply', message: 'an answer nobody can read' };
    const message = said(call, fault.message);
    const code = fault.code === 'error_in_reply' ? 'upstream_error' : 'bad_upstream_reply';
    return failed(
      fault.code,
      message,
      new RelayError(502, 'upstream_error', code, `The upstream answered with an error: ${message}`),
    );
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadReply({ code: 'bad_reply', message: 'not a whole JSON answer' });
  }
}

function estimated({ request }: Judged, said: string): Pick<Verdict, 'usage' | 'usageSource' | 'said'> {
  return {
    usage: { ...noUsage, input: request.inputTokens, output: estimateTokens(said) },
    usageSource: 'estimate',
    said,
  };
}

/** The caller left and the answer was not waited for: the upstream has read the prompt, and nobody knows what it said. */
function leftUnread({ request }: Judged): Verdict {
  return {
    outcome: 'client_gone',
    usage: { ...noUsage, input: request.inputTokens },
    usageSource: 'estimate',
    finishReason: undefined,
    result: 'client_gone',
    message: undefined,
  };
}

function judgeReply(call: Judged, sent: Sent): Verdict {
  const { usage: format } = call.choice.operation;
  if (call.exchange.reply) return judgeOther(call, sent, call.exchange.reply);
  const reply = readReply(sent.body, format);
  if (reply.error !== undefined) {
    const message = said(call, reply.error);
    return failed(
      'error_in_reply',
      message,
      new RelayError(502, 'upstream_error', 'upstream_error', `The upstream answered with an error: ${message}`),
    );
  }
  if (!reply.whole) {
    return failed(
      'bad_reply',
      'not a whole JSON answer',
      new RelayError(
        502,
        'upstream_error',
        'bad_upstream_reply',
        'The upstream answered with something that is not a whole JSON answer.',
      ),
    );
  }
  const told = format.read(reply.usage);
  return {
    outcome: sent.clientGone ? 'client_gone' : 'answered',
    ...(told ? { usage: told, usageSource: 'upstream' } : estimated(call, reply.text())),
    finishReason: reply.finishReason,
    result: 'ok',
    message: undefined,
    reply: { status: 200, contentType: sent.contentType || 'application/json', body: sent.body },
  };
}

function judgeRefusal(call: Judged, sent: Sent): Verdict {
  const json = parseObject(sent.body.toString('utf8'));
  const error = (json?.['error'] ?? {}) as { type?: unknown; code?: unknown; param?: unknown };
  const message = said(call, (json && errorIn(json)) ?? `HTTP status ${sent.status}`);
  const more = sent.retryAfter === undefined ? {} : { retryAfter: sent.retryAfter };
  const result = 'upstream_status';
  // The channel's key or account is at fault, which is the operator's business, not the caller's key.
  if (sent.status === 401 || sent.status === 402 || sent.status === 403) {
    return failed(result, `${sent.status} ${message}`, rejected());
  }
  const status = sent.status >= 400 ? sent.status : 502;
  const type = typeof error.type === 'string' ? error.type : 'upstream_error';
  const code = typeof error.code === 'string' ? error.code : 'upstream_status';
  const refusal = new RelayError(status, type, code, message, {
    ...more,
    ...(typeof error.param === 'string' && { param: error.param }),
  });
  return failed(result, `${sent.status} ${message}`, refusal);
}

const rejected = (): RelayError =>
  new RelayError(
    502,
    'upstream_error',
    'upstream_rejected',
    'The upstream refused the channel’s credentials. The administrator has to look at it.',
  );

/** An upstream's words without keys, and no longer than a row should be. */
const said = (call: Judged, text: string): string => masked(text, call.choice.key.key).slice(0, 1000);

function unreachable({ failure }: Sent): RelayError {
  if (failure?.code.endsWith('timeout'))
    return new RelayError(504, 'upstream_error', 'upstream_timeout', 'The upstream did not answer in time.');
  return new RelayError(
    502,
    'upstream_error',
    failure?.code === 'connect_failed' ? 'upstream_unreachable' : 'bad_upstream_reply',
    `The upstream could not be used: ${failure?.message ?? 'no answer'}.`,
  );
}

/** The verdict on an attempt that brought nothing. */
export function failed(result: string, message: string, refusal: RelayError): Verdict {
  return {
    outcome: 'failed',
    usage: noUsage,
    usageSource: 'upstream',
    finishReason: undefined,
    result,
    message,
    refusal,
  };
}
