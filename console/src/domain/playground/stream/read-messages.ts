import {
  errorIn,
  finishDelta,
  keyOr,
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

/** Reads events and replies of the Messages API. */
export const readMessages: DeltaReader = (event) => {
  const key = keyOr(event['index']);
  switch (event['type']) {
    case 'message_start':
      return inputOf(objectOr(event['message'])['usage']);
    case 'content_block_start':
      return startOf(key, objectOr(event['content_block']));
    case 'content_block_delta':
      return deltaOf(key, objectOr(event['delta']));
    case 'message_delta':
      return [
        ...finishDelta(objectOr(event['delta'])['stop_reason']),
        ...inputOf(event['usage']),
        ...usageDelta(event['usage'], '', 'output_tokens'),
      ];
    case 'message':
      return [
        ...objects(event['content']).flatMap((block, index) => wholeBlock(String(index), block)),
        ...finishDelta(event['stop_reason']),
        ...inputOf(event['usage']),
        ...usageDelta(event['usage'], '', 'output_tokens'),
      ];
    case 'error': {
      const error = errorIn(event, 0);
      return error ? [{ error }] : [];
    }
    default:
      return [];
  }
};

/** The dialect counts cached input apart. */
function inputOf(value: unknown): Delta[] {
  const usage = objectOr(value);
  const counters = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map(
    (name) => usage[name],
  );
  const known = counters.filter((counter) => typeof counter === 'number');
  return known.length === 0 ? [] : [{ usage: { input: known.reduce((sum, counter) => sum + counter, 0) } }];
}

const startOf = (key: string, block: Json): Delta[] =>
  block['type'] === 'tool_use' ? [{ tool: { key, name: textOr(block['name']) } }] : wholeBlock(key, block);

const deltaOf = (key: string, delta: Json): Delta[] => [
  ...textDelta(delta['text']),
  ...reasoningDelta(delta['thinking']),
  ...(delta['type'] === 'input_json_delta' ? [{ tool: { key, input: textOr(delta['partial_json']) } }] : []),
];

function wholeBlock(key: string, block: Json): Delta[] {
  if (block['type'] === 'tool_use')
    return [{ tool: { key, name: textOr(block['name']), input: JSON.stringify(block['input'] ?? {}) } }];
  return [...textDelta(block['text']), ...reasoningDelta(block['thinking'])];
}
