import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatRequest, Message, Part } from './chat.ts';
import type { WireId } from './codec.ts';
import { dialects } from './codecs.ts';
import { models, overTheNetwork, wireIds, wires } from './testing/bridge.ts';
import { someRequest } from './testing/arbitrary-requests.ts';

/** A request written to a wire, as its vendor reads it. */
function received(wire: WireId, request: ChatRequest): ChatRequest {
  const body = overTheNetwork(wires[wire].writeRequest(request, { model: models[wire] }));
  return dialects[wire].readRequest(body, { model: models[wire], stream: request.stream });
}

/** A conversation without vendor differences: merging of neighbours and separators. */
function plain(messages: readonly Message[]): unknown[] {
  const out: { role: string; parts: unknown[] }[] = [];
  for (const { role, parts } of messages) {
    const side = role === 'developer' ? 'system' : role === 'tool' ? 'user' : role;
    const last = out.at(-1);
    if (last?.role === side) last.parts.push(...parts.map(plainPart));
    else out.push({ role: side, parts: parts.map(plainPart) });
  }
  return out.map(({ role, parts }) => [role, withTextsJoined(parts)]);
}

function plainPart(part: Part): unknown {
  if (part.type === 'tool_call') return [part.id, part.name, JSON.parse(part.arguments)];
  if (part.type === 'tool_result') return [part.id, part.content.map(plainPart)];
  return part.type === 'image' ? part.source : 'text' in part ? part.text.replaceAll('\n', '') : part;
}

function withTextsJoined(parts: readonly unknown[]): unknown[] {
  const out: unknown[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (typeof part === 'string' && typeof last === 'string') out[out.length - 1] = last + part;
    else out.push(part);
  }
  return out;
}

const plainTools = ({ tools }: ChatRequest) =>
  tools.map(({ name, description, schema }) => [name, description, schema]);
const plainFormat = ({ format }: ChatRequest) => format?.type === 'json_schema' && format.schema;

describe.each(wireIds)('a request to %s', (wire) => {
  test('keeps the conversation, the tools, the limit and the form of the answer', () => {
    fc.assert(
      fc.property(someRequest, (request) => {
        const seen = received(wire, request);
        expect(plain(seen.messages)).toEqual(plain(request.messages));
        expect(plainTools(seen)).toEqual(plainTools(request));
        expect(seen.toolChoice ?? { mode: 'auto' }).toEqual(request.toolChoice ?? { mode: 'auto' });
        expect([seen.maxOutput, seen.stream]).toEqual([request.maxOutput, request.stream]);
        expect(plainFormat(seen)).toEqual(plainFormat(request));
      }),
    );
  });

  test('keeps how the answer is drawn, as far as the wire can say it', () => {
    fc.assert(
      fc.property(someRequest, (request) => {
        const { temperature, toolChoice } = request;
        const nowhere: Record<WireId, (keyof Drawn)[]> = {
          openai: [],
          responses: ['temperature', 'topP', 'stop', 'seed'],
          anthropic: temperature === undefined ? ['seed'] : ['seed', 'topP'],
          gemini: ['parallelToolCalls', 'user'],
        };
        // Without tool choice, parallel calls are meaningless.
        const unsaid: (keyof Drawn)[] = toolChoice?.mode === 'none' ? ['parallelToolCalls'] : [];
        const without = [...nowhere[wire], ...unsaid];
        expect(drawn(received(wire, request), without)).toEqual(drawn(request, without));
      }),
    );
  });
});

type Drawn = Pick<ChatRequest, 'temperature' | 'topP' | 'stop' | 'seed' | 'parallelToolCalls' | 'user'>;

function drawn(request: ChatRequest, without: readonly (keyof Drawn)[]): Partial<Drawn> {
  const { temperature, topP, stop, seed, parallelToolCalls, user } = request;
  const said: Partial<Drawn> = { temperature, topP, stop, seed, parallelToolCalls, user };
  for (const field of without) delete said[field];
  return said;
}
