import { parseWithSources, type Json } from '#json.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import { gemini } from '#usage/gemini.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { brokenStream } from '../broken-stream.ts';
import type { ChatEvent, ChatReply, ChatRequest } from '../chat.ts';
import { eventsOf } from '../chat-events.ts';
import type { Addressed, DialectId, ReplyContext, Wire, WireId } from '../codec.ts';
import { lostIn } from '../offered-tools.ts';
import { CallerCalls, withFittingNames } from '../tool-fitting.ts';
import { anthropicWire, dialects, geminiWire, openAiWire, responsesWire } from '../codecs.ts';

export const wires: Record<WireId, Wire> = {
  openai: openAiWire,
  responses: responsesWire,
  anthropic: anthropicWire,
  gemini: geminiWire,
};

export const dialectIds = Object.keys(dialects) as DialectId[];
export const wireIds = Object.keys(wires) as WireId[];

export const usageFormats: Record<WireId, UsageFormat> = {
  openai: openAiChat,
  responses: openAiResponses,
  anthropic: anthropicMessages,
  gemini,
};

/** A model of each vendor that supports everything the tests use. */
export const models: Record<WireId, string> = {
  openai: 'gpt-4.1',
  responses: 'gpt-5.1',
  anthropic: 'claude-sonnet-4-6',
  gemini: 'gemini-3-flash',
};

export const contextOf = (request: ChatRequest, more: Partial<ReplyContext> = {}): ReplyContext => ({
  request,
  requestId: '20260101000000000000001AbCdEfGh',
  model: request.model,
  created: 1_767_225_600,
  ...more,
});

/** JSON as received: without undefined members. */
export const overTheNetwork = (json: unknown): Json => parseWithSources(JSON.stringify(json)) as Json;

/** Small chunks that split lines and characters. */
export const inPieces = (text: string, size = 7): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
};

/** A stream as a vendor sends it. */
export function vendorStream(wire: WireId, events: readonly ChatEvent[], request: ChatRequest): string {
  // Vendors are always asked for usage.
  const writer = dialects[wire].streamWriter(contextOf({ ...request, includeUsage: true }));
  return events.map((event) => writer.event(event)).join('') + writer.end();
}

/** Splits a text event into several. */
function inSteps(event: ChatEvent): ChatEvent[] {
  if (event.type !== 'text') return [event];
  return (event.text.match(/[^]{1,5}/g) ?? []).map((text) => ({ type: 'text', text }));
}

export function readStream(wire: WireId, pieces: readonly Buffer[]): ChatEvent[] {
  const reader = wires[wire].streamReader({ usage: usageFormats[wire] });
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

/**
 * Sends a caller's request through the codecs to a simulated provider and back; also returns what the provider
 * received.
 */
export function bridged(
  dialect: DialectId,
  wire: WireId,
  json: unknown,
  answer: (request: ChatRequest) => ChatReply,
  addressed: Addressed & Pick<ReplyContext, 'asList'> & { breaks?: boolean } = {},
): { contentType: string; body: string; seen: ChatRequest } {
  const request = dialects[dialect].readRequest(json, addressed);
  const { toolNames } = wires[wire];
  lostIn(request, wires[wire], models[wire]);
  const calls = new CallerCalls(request, toolNames, dialects[dialect]);
  const body = overTheNetwork(wires[wire].writeRequest(withFittingNames(request, toolNames), { model: models[wire] }));
  const seen = dialects[wire].readRequest(body, { model: models[wire], stream: request.stream });
  const reply = answer(seen);
  const about = contextOf(request, { asList: addressed.asList });
  if (!request.stream) {
    const vendorReply = overTheNetwork(dialects[wire].writeReply(reply, contextOf(seen)));
    const read = calls.reply(wires[wire].readReply(vendorReply, { usage: usageFormats[wire] }));
    return { contentType: 'application/json', body: JSON.stringify(dialects[dialect].writeReply(read, about)), seen };
  }
  const writer = dialects[dialect].streamWriter(about);
  const stream = vendorStream(wire, eventsOf(reply).flatMap(inSteps), seen);
  const events = readStream(wire, inPieces(addressed.breaks ? stream.slice(0, stream.length * 0.6) : stream));
  const written = events.map((event) => writer.event(calls.event(event))).join('');
  const end = events.some(({ type }) => type === 'error') ? writer.error(brokenStream) : writer.end();
  return { contentType: writer.contentType, body: written + end, seen };
}
