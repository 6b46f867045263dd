import type { Behaviour } from './behaviour.ts';
import type { SimulatedCall } from './call.ts';
import { jsonReply, streamReply, type SimulatedReply } from './reply.ts';
import { piecesOf } from './text.ts';
import { usagePlan } from './usage.ts';

/** Answers a legacy completion, with or without a stream. */
export function completionReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  const pieces = piecesOf(behaviour);
  const { place, value } = usagePlan(behaviour, call.promptTokens);
  const head = { id: 'cmpl-1', object: 'text_completion', created: Math.floor(Date.now() / 1000), model: call.model };
  const finish_reason = behaviour.finishReason ?? 'stop';
  const choice = (text: string, end: string | null) => [{ text, index: 0, logprobs: null, finish_reason: end }];
  if (!call.stream) {
    const usage = place === 'none' ? {} : { usage: value(pieces.length) };
    return jsonReply(200, { ...head, choices: choice(pieces.join(''), finish_reason), ...usage });
  }
  const reportsUsage = place !== 'none' && (place !== 'last' || call.includeUsage);
  const events: object[] = pieces.map((text) => ({ ...head, choices: choice(text, null) }));
  events.push({ ...head, choices: choice('', finish_reason) });
  if (reportsUsage) events.push({ ...head, choices: [], usage: value(pieces.length) });
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  return streamReply(lines, behaviour.firstTokenMs ?? 0, behaviour.chunkMs ?? 0);
}
