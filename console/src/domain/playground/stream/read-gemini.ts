import {
  finishDelta,
  objectOr,
  objects,
  reasoningDelta,
  textDelta,
  textOr,
  usageDelta,
  type Delta,
  type DeltaReader,
  type Json,
} from './delta.ts';

/** Reads chunks and replies of generateContent, which have the same form. */
export const readGemini: DeltaReader = (event) => {
  const [candidate = {}] = objects(event['candidates']);
  const parts = objects(objectOr(candidate['content'])['parts']);
  return [
    ...parts.flatMap(partDelta),
    ...finishDelta(candidate['finishReason']),
    ...finishDelta(objectOr(event['promptFeedback'])['blockReason']),
    ...usageOf(event['usageMetadata']),
  ];
};

/** Tool calls come whole and without an id that is always there. */
let calls = 0;

function partDelta(part: Json): Delta[] {
  const call = objectOr(part['functionCall']);
  const name = textOr(call['name']);
  if (name !== '') return [{ tool: { key: `call-${++calls}`, name, input: JSON.stringify(call['args'] ?? {}) } }];
  const { mimeType, data } = objectOr(part['inlineData']);
  if (textOr(data) !== '') return [{ media: `data:${textOr(mimeType)};base64,${textOr(data)}` }];
  return part['thought'] === true ? reasoningDelta(part['text']) : textDelta(part['text']);
}

/** Thoughts are counted apart from the answer, and charged like it. */
function usageOf(value: unknown): Delta[] {
  const { thoughtsTokenCount: thoughts } = objectOr(value);
  return usageDelta(value, 'promptTokenCount', 'candidatesTokenCount').map((delta) =>
    delta.usage?.output !== undefined && typeof thoughts === 'number'
      ? { usage: { ...delta.usage, output: delta.usage.output + thoughts } }
      : delta,
  );
}
