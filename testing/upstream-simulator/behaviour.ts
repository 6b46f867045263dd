/** Faults on demand; `faults.ts` implements them. */
export const faults = [
  'refuse',
  'hang',
  'headersThenSilence',
  'drip',
  'cutMidChunk',
  'cutAfterFinish',
  'endWithoutDone',
  'truncatedJson',
  'emptyAnswer',
  'errorBody200',
  'errorInStream',
  'html',
  'gzipBomb',
  'crlf',
  'bom',
  'comments',
  'splitUtf8',
  'hugeLine',
] as const;
export type SimulatedFault = (typeof faults)[number];

/**
 * Where a stream reports usage. `last`: in a separate chunk, only on request (as OpenAI does). The others come
 * unrequested: `always` the same chunk, `twice` that chunk two times, `eachChunk` cumulative in every chunk,
 * `finishChunk` with the finish reason.
 */
const usagePlaces = ['last', 'always', 'twice', 'eachChunk', 'finishChunk'] as const;
export type UsagePlace = (typeof usagePlaces)[number];

export type JsonObject = Record<string, unknown>;

/** How to answer a request. The default is an immediate, valid reply. */
export interface Behaviour {
  /** Delay before the response headers. */
  delayMs?: number;
  /** Holds the response back until this resolves; only for tests in this process. */
  until?: Promise<unknown>;
  /** From the headers to the first event of a stream. */
  firstTokenMs?: number;
  /** Between the events of a stream; 0 sends them together. */
  chunkMs?: number;
  /** Number of text pieces. */
  chunks?: number;
  /** Bytes of text per piece. */
  chunkBytes?: number;
  /** The exact text; overrides `chunks` and `chunkBytes`. */
  text?: string;
  finishReason?: string;
  /** An object is sent as is; otherwise words are counted. */
  usage?: JsonObject | 'none' | UsagePlace;
  /** Where an object given as `usage` goes in a stream. */
  usageIn?: UsagePlace;
  /** Service tier that a chat says it was served by; default: `default`. */
  tier?: string;
  /** Any status but 200 sends an error. */
  status?: number;
  /** The exact body of that error. */
  error?: JsonObject;
  /** Added to the response headers, or replacing them. */
  headers?: Record<string, string>;
  fault?: SimulatedFault;
  /** Pieces of text before the fault; default: half of them. */
  faultAt?: number;
  /** Between the bytes of `drip`. */
  dripMs?: number;
  /** Length of the text in `hugeLine`. */
  lineBytes?: number;
  /** Unpacked size of `gzipBomb`. */
  bombBytes?: number;
}

/** An invalid behaviour, reported to the caller, because a typing error would otherwise look like success. */
export class BehaviourError extends Error {}

const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isOneOf = (names: readonly string[]) => (value: unknown) => typeof value === 'string' && names.includes(value);
const isUsage = isOneOf(['none', ...usagePlaces]);

const fields: Record<keyof Behaviour, (value: unknown) => boolean> = {
  delayMs: isCount,
  until: () => false,
  firstTokenMs: isCount,
  chunkMs: isCount,
  chunks: isCount,
  chunkBytes: isCount,
  text: isText,
  finishReason: isText,
  usage: (value) => isUsage(value) || isObject(value),
  usageIn: isOneOf(usagePlaces),
  tier: isText,
  status: isCount,
  error: isObject,
  headers: (value) => isObject(value) && Object.values(value as JsonObject).every(isText),
  fault: isOneOf(faults),
  faultAt: isCount,
  dripMs: isCount,
  lineBytes: isCount,
  bombBytes: isCount,
};

const isField = (name: string): name is keyof Behaviour => Object.hasOwn(fields, name);

/** Parses `{"chunks":50}` or `chunks=50;chunkMs=20` (without commas, so it fits in a channel's model list). */
export function readBehaviour(text: string): Behaviour {
  const given = text.trimStart().startsWith('{') ? fromJson(text) : fromPairs(text);
  for (const [name, value] of Object.entries(given)) {
    if (!isField(name)) throw new BehaviourError(`no such field: ${name}`);
    if (!fields[name](value)) throw new BehaviourError(`not a value for ${name}: ${JSON.stringify(value)}`);
  }
  return given; // every field was validated above
}

function fromJson(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject; // begins with a brace, so an object or a syntax error
  } catch {
    throw new BehaviourError('not JSON');
  }
}

function fromPairs(text: string): JsonObject {
  const pairs = text.split(';').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const value = rest.join('=').trim();
      return [name.trim(), /^\d+(\.\d+)?$/.test(value) ? Number(value) : value];
    }),
  );
}

const named: Record<string, Behaviour> = {
  slow: { firstTokenMs: 800, chunkMs: 80, delayMs: 200 },
  long: { chunks: 400, chunkMs: 20 },
  busy: { status: 429, headers: { 'retry-after': '2' } },
  down: { status: 500 },
  unauthorized: { status: 401 },
};
for (const fault of faults) named[kebab(fault)] = { fault };

/** Models with a behaviour in their names, such as `sim-slow`, `sim-cut-mid-chunk`. */
const namedModels: readonly string[] = Object.keys(named).map((name) => `sim-${name}`);

/** The behaviour in a model's name: `sim-slow`, `sim:chunks=50`, `sim:{"chunks":50}`. */
export function behaviourOfModel(model: string): Behaviour | undefined {
  if (model.startsWith('sim:')) return readBehaviour(model.slice(4));
  if (!model.startsWith('sim-')) return undefined;
  const name = model.slice(4);
  const behaviour = Object.hasOwn(named, name) ? named[name] : undefined;
  if (behaviour === undefined) throw new BehaviourError(`no such model: ${model}; there are ${namedModels.join(', ')}`);
  return behaviour;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
