import fc from 'fast-check';
import { describe, test } from 'vitest';
import { BadChatRequest, BadReply } from './chat-errors.ts';
import { dialects } from './codecs.ts';
import { expectRefusal } from './testing/refusals.ts';
import { dialectIds, models, overTheNetwork, readStream, usageFormats, wireIds, wires } from './testing/bridge.ts';

/** Names with a meaning in a dialect, and names of Object.prototype. */
const names = [
  'model messages role content type text parts tool_calls tool_call_id id name function arguments input output call_id',
  'image_url url source data media_type tools functionDeclarations parameters input_schema functionCall functionResponse',
  'response args inlineData mimeType contents systemInstruction generationConfig thinkingConfig reasoning effort stop',
  'summary encrypted_content signature thinking format schema json_schema response_format tool_choice choices delta index',
  'finish_reason candidates finishReason usage usageMetadata error message code status output_index item response',
  'content_block message_start constructor __proto__ toString hasOwnProperty',
].flatMap((line) => line.split(' '));
const values = [
  'user assistant system tool model developer function text image_url file tool_use tool_result thinking document base64',
  'message function_call function_call_output reasoning input_text input_image custom auto required json_schema enabled',
  'content_block_start content_block_delta response.output_item.added response.completed constructor __proto__ toString',
].flatMap((line) => line.split(' '));

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<unknown>(
      ...values,
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e300,
      '',
      'x',
      'data:,',
      'data:image/png;base64,AA==',
    ),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

/** Only errors of these kinds may be thrown. */
function attempt<T>(work: () => T, ...allowed: (new (...args: never[]) => Error)[]): T | undefined {
  try {
    return work();
  } catch (error) {
    if (allowed.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}

/** Always well-formed enough for the rest to be read. */
const skeletons = {
  openai: (said: unknown) => ({ model: 'm', messages: [{ role: 'user', content: 'x' }, said] }),
  responses: (said: unknown) => ({ model: 'm', input: [{ role: 'user', content: 'x' }, said] }),
  anthropic: (said: unknown) => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [said] }] }),
  gemini: (said: unknown) => ({ contents: [{ role: 'user', parts: [said] }] }),
};

describe.each(dialectIds)('whatever a caller of %s sends', (id) => {
  test('it is read, or refused with a reason', () => {
    fc.assert(
      fc.property(json, json, (whole, part) => {
        for (const sent of [whole, skeletons[id](part)]) {
          const request = attempt(() => dialects[id].readRequest(sent, { model: 'm' }), BadChatRequest);
          if (!request) continue;
          for (const wire of wireIds)
            attempt(() => overTheNetwork(wires[wire].writeRequest(request, { model: models[wire] })), BadChatRequest);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe.each(wireIds)('whatever a provider of %s answers', (wire) => {
  const options = { usage: usageFormats[wire] };

  test('it is an answer or none, and nothing else happens', () => {
    fc.assert(
      fc.property(json, (answer) => {
        attempt(() => wires[wire].readReply(answer, options), BadReply);
      }),
      { numRuns: 400 },
    );
  });

  test('a stream of it is events', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 5 }), (answers) => {
        const stream = answers.map((answer) => `data: ${JSON.stringify(answer)}\n\n`).join('');
        readStream(wire, [Buffer.from(stream)]);
      }),
      { numRuns: 400 },
    );
  });
});

test('deeply nested input is refused', () => {
  const depth = 20_000;
  const nested = (open: string, innermost: string, close: string): unknown =>
    JSON.parse(open.repeat(depth) + innermost + close.repeat(depth));
  const message = { content: nested('[{"type":"tool_result","tool_use_id":"a","content":', '""', '}]'), role: 'user' };
  expectRefusal(() => dialects.anthropic.readRequest({ model: 'm', max_tokens: 9, messages: [message] }), undefined);
  const contents = [{ parts: [{ text: 'x' }] }];
  const parameters = nested('{"type":"OBJECT","items":', '{}', '}');
  const tools = [{ functionDeclarations: [{ name: 'f', parameters }] }];
  expectRefusal(() => dialects.gemini.readRequest({ contents, tools }, { model: 'm' }), undefined);
});
