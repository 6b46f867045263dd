import type { Behaviour } from './behaviour.ts';
import type { SimulatedCall } from './call.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';

/** A unit vector per input, deterministic. */
export function embeddingsReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  const { dimensions, encoding_format: encoding } = call.body;
  const size = typeof dimensions === 'number' ? dimensions : call.model.includes('-3-large') ? 3072 : 1536;
  const data = inputsOf(call.body['input']).map((input, index) => {
    const vector = vectorOf(input, size);
    const embedding = encoding === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    return { object: 'embedding', index, embedding };
  });
  const usage = typeof behaviour.usage === 'object' ? behaviour.usage : counted(call.promptTokens);
  return jsonReply(200, {
    object: 'list',
    data,
    model: call.model,
    ...(behaviour.usage !== 'none' && { usage }),
  });
}

const counted = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens });

/** A text, a list of token numbers, or a list of either. */
function inputsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [String(input)];
  return typeof input[0] === 'number' ? [input.join(' ')] : input.map(String);
}

function vectorOf(text: string, size: number): Float32Array {
  let state = 2166136261;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619);
  const vector = new Float32Array(size);
  let squares = 0;
  for (let i = 0; i < size; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    vector[i] = state / 2 ** 31;
    squares += (vector[i] ?? 0) ** 2;
  }
  const length = Math.sqrt(squares) || 1;
  return vector.map((value) => value / length);
}
