import type { Behaviour, JsonObject } from './behaviour.ts';
import type { SimulatedCall } from './call.ts';
import { jsonReply, streamReply, type SimulatedReply } from './reply.ts';
import { piecesOf } from './text.ts';
import { usagePlan } from './usage.ts';

const fingerprint = 'fp_3e1f5aa7c0';

/** Answers a chat completion, with or without a stream. */
export function chatReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  const pieces = piecesOf(behaviour);
  if (!call.stream) return jsonReply(200, completion(call, behaviour, pieces));
  const events = streamEvents(call, behaviour, pieces);
  return streamReply(events, behaviour.firstTokenMs ?? 0, behaviour.chunkMs ?? 0);
}

function completion(call: SimulatedCall, behaviour: Behaviour, pieces: readonly string[]): JsonObject {
  const usage = usagePlan(behaviour, call.promptTokens);
  const content = behaviour.fault === 'hugeLine' ? hugeText(behaviour) : pieces.join('');
  return {
    id: newId(),
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: call.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: behaviour.finishReason ?? 'stop',
      },
    ],
    ...(usage.place !== 'none' && { usage: usage.value(pieces.length) }),
    service_tier: behaviour.tier ?? 'default',
    system_fingerprint: fingerprint,
  };
}

/** Role, text, finish, usage, `[DONE]`. Everything but the choice is serialised once. */
function streamEvents(call: SimulatedCall, behaviour: Behaviour, pieces: readonly string[]): string[] {
  const usage = usagePlan(behaviour, call.promptTokens);
  const { place } = usage;
  const head =
    `data: {"id":"${newId()}","object":"chat.completion.chunk","created":${Math.floor(Date.now() / 1000)},` +
    `"model":${JSON.stringify(call.model)},"service_tier":${JSON.stringify(behaviour.tier ?? 'default')},"system_fingerprint":"${fingerprint}","choices":[`;
  const noUsage = call.includeUsage && place !== 'none' ? '],"usage":null}\n\n' : ']}\n\n';
  const tail = (reported: boolean, tokens: number) =>
    reported ? `],"usage":${JSON.stringify(usage.value(tokens))}}\n\n` : noUsage;
  const choice = (delta: string, finish: string) =>
    `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}`;

  const inEach = place === 'eachChunk';
  const events = [head + choice('{"role":"assistant","content":"","refusal":null}', 'null') + tail(inEach, 0)];
  const huge = behaviour.fault === 'hugeLine' ? faultIndex(behaviour, pieces.length) : -1;
  for (let i = 0; i < pieces.length; i++) {
    const content = JSON.stringify(i === huge ? hugeText(behaviour) : pieces[i]);
    events.push(head + choice(`{"content":${content}}`, 'null') + (inEach ? tail(true, i + 1) : noUsage));
  }
  const finish = JSON.stringify(behaviour.finishReason ?? 'stop');
  events.push(head + choice('{}', finish) + tail(inEach || place === 'finishChunk', pieces.length));

  const copies = place === 'twice' ? 2 : place === 'always' || (place === 'last' && call.includeUsage) ? 1 : 0;
  for (let i = 0; i < copies; i++) events.push(head + tail(true, pieces.length));
  events.push('data: [DONE]\n\n');
  return events;
}

/** The piece of text at which a fault occurs. */
export function faultIndex(behaviour: Behaviour, pieces: number): number {
  return Math.min(behaviour.faultAt ?? Math.floor(pieces / 2), Math.max(0, pieces - 1));
}

const hugeText = (behaviour: Behaviour) => 'x'.repeat(behaviour.lineBytes ?? 16 * 1024 * 1024);

let made = 0;
const series = Date.now().toString(36).padStart(10, '0');

function newId(): string {
  made++;
  return `chatcmpl-${series}${made.toString(36).padStart(12, '0')}`;
}
