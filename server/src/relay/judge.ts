import type { Usage } from '@relay-hub/contract';
import { completionTokens, noUsage } from '@relay-hub/contract';
import { readOpenAiUsage } from '#providers/open-ai-usage.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { masked } from '#secrets.ts';
import type { Call } from './call.ts';
import { errorIn, parseObject, readReply } from './json-reply.ts';
import { RelayError } from './relay-error.ts';
import type { Sent } from './send.ts';

/** What an attempt came to: for the caller, and for the books. */
export interface Verdict {
  outcome: 'answered' | 'client_gone' | 'broken' | 'failed';
  usage: Usage;
  usageSource: 'upstream' | 'estimate';
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
export function judge(call: Call, sent: Sent): Verdict {
  if (sent.stream) return judgeStream(call, sent, sent.stream);
  if (sent.failure) return failed(sent.failure.code, sent.failure.message, unreachable(sent));
  if (sent.status < 200 || sent.status >= 300) return judgeRefusal(call, sent);
  return judgeReply(call, sent);
}

function judgeStream(call: Call, sent: Sent, stream: NonNullable<Sent['stream']>): Verdict {
  const tail = stream.rest();
  const told = readOpenAiUsage(stream.usage);
  const { finishReason } = stream;
  const whole =
    stream.error === undefined && (stream.done || (finishReason !== undefined && sent.failure === undefined));
  const estimated = { ...noUsage, input: call.request.inputTokens, output: stream.estimatedOutput() };
  const known = { usage: told ?? estimated, usageSource: told ? 'upstream' : 'estimate', finishReason } as const;
  if (whole)
    return { ...known, outcome: sent.clientGone ? 'client_gone' : 'answered', result: 'ok', message: undefined, tail };

  const result = stream.error === undefined ? (sent.failure?.code ?? 'stream_broken') : 'error_in_stream';
  const message = said(call, stream.error ?? sent.failure?.message ?? 'the stream ended before its end');
  const refusal = new RelayError(502, 'upstream_error', 'stream_broken', `The upstream broke off: ${message}.`);
  // Nothing was produced, so nothing is charged.
  if (stream.estimatedOutput() === 0 && completionTokens(told ?? noUsage) === 0)
    return { ...failed(result, message, refusal), finishReason };
  return { ...known, outcome: 'broken', result, message, refusal };
}

function judgeReply(call: Call, sent: Sent): Verdict {
  const reply = readReply(sent.body);
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
  const told = readOpenAiUsage(reply.usage);
  return {
    outcome: sent.clientGone ? 'client_gone' : 'answered',
    usage: told ?? { ...noUsage, input: call.request.inputTokens, output: estimateTokens(reply.text()) },
    usageSource: told ? 'upstream' : 'estimate',
    finishReason: reply.finishReason,
    result: 'ok',
    message: undefined,
    reply: { status: 200, contentType: sent.contentType || 'application/json', body: sent.body },
  };
}

function judgeRefusal(call: Call, sent: Sent): Verdict {
  const json = parseObject(sent.body.toString('utf8'));
  const error = (json?.['error'] ?? {}) as { type?: unknown; code?: unknown; param?: unknown };
  const message = said(call, (json && errorIn(json)) ?? `HTTP status ${sent.status}`);
  const more = sent.retryAfter === undefined ? {} : { retryAfter: sent.retryAfter };
  const result = 'upstream_status';
  // The channel's key or account is at fault, which is the operator's business, not the caller's key.
  if (sent.status === 401 || sent.status === 402 || sent.status === 403) {
    return failed(
      result,
      `${sent.status} ${message}`,
      new RelayError(
        502,
        'upstream_error',
        'upstream_rejected',
        'The upstream refused the channel’s credentials. The administrator has to look at it.',
      ),
    );
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

/** An upstream's words without keys, and no longer than a row should be. */
const said = (call: Call, text: string): string => masked(text, call.channel.key).slice(0, 1000);

function unreachable({ failure }: Sent): RelayError {
  if (failure?.code === 'timeout')
    return new RelayError(504, 'upstream_error', 'upstream_timeout', 'The upstream did not answer in time.');
  return new RelayError(
    502,
    'upstream_error',
    failure?.code === 'connect_failed' ? 'upstream_unreachable' : 'bad_upstream_reply',
    `The upstream could not be used: ${failure?.message ?? 'no answer'}.`,
  );
}

function failed(result: string, message: string, refusal: RelayError): Verdict {
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
