import { isObject, listOr, type Json } from '#json.ts';
import type { Changes, ProviderCall } from './operation.ts';

/**
 * The beta flags of Anthropic's API that a cloud takes, each with its names there. Other flags fail every call.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 * https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
export type CloudFlags = Readonly<Record<string, readonly string[]>>;

const asNamed = (flags: string): CloudFlags => Object.fromEntries(flags.split(' ').map((flag) => [flag, [flag]]));

const common = [
  'computer-use-2025-01-24 computer-use-2025-11-24 token-efficient-tools-2025-02-19 output-128k-2025-02-19',
  'interleaved-thinking-2025-05-14 fine-grained-tool-streaming-2025-05-14 context-1m-2025-08-07',
  'context-management-2025-06-27 compact-2026-01-12 tool-search-tool-2025-10-19',
].join(' ');

export const bedrockFlags: CloudFlags = {
  ...asNamed(`${common} dev-full-thinking-2025-05-14 effort-2025-11-24 tool-examples-2025-10-29`),
  'advanced-tool-use-2025-11-20': ['tool-search-tool-2025-10-19', 'tool-examples-2025-10-29'],
};

export const vertexFlags: CloudFlags = {
  ...asNamed(`${common} web-search-2025-03-05`),
  'advanced-tool-use-2025-11-20': ['tool-search-tool-2025-10-19'],
};

/** Members of a request that are refused without one of these flags; none listed: always. */
const members: Readonly<Record<string, readonly string[]>> = {
  context_management: ['context-management-2025-06-27', 'compact-2026-01-12'],
  mcp_servers: [],
  container: [],
  speed: [],
  diagnostics: [],
  inference_geo: [],
  thread: [],
};
const toolMembers: Readonly<Record<string, readonly string[]>> = {
  defer_loading: ['tool-search-tool-2025-10-19'],
  input_examples: ['tool-examples-2025-10-29'],
  eager_input_streaming: ['fine-grained-tool-streaming-2025-05-14'],
  allowed_callers: [],
};

interface FittingFlags {
  /** The caller's flags in the cloud's names. */
  flags: string[];
  /** Changes to the body: members that belong to flags that the cloud lacks are removed. */
  changes: Changes;
  /** Fields and flags that the cloud does not get, for the caller. */
  lost: string[];
}

/** The flags and members of a caller of Messages that a cloud takes. */
export function fittingFlags(taken: CloudFlags, body: Json, { callerHeaders }: ProviderCall): FittingFlags {
  const asked = (callerHeaders?.['anthropic-beta'] ?? '').split(/\s*,\s*/).filter(Boolean);
  const flags = flagsTaken(taken, callerHeaders);
  const lost = asked.filter((flag) => !Object.hasOwn(taken, flag)).map((flag) => `anthropic-beta.${flag}`);
  const lacks = (needed: readonly string[]): boolean => !needed.some((flag) => flags.includes(flag));
  const changes: Changes = {};
  for (const [name, needed] of Object.entries(members))
    if (body[name] !== undefined && lacks(needed)) {
      changes[name] = undefined;
      lost.push(name);
    }
  const gone = Object.keys(toolMembers).filter(
    (name) => lacks(toolMembers[name]!) && listOr(body['tools']).some((tool) => isObject(tool) && name in tool), // own key
  );
  if (gone.length > 0) changes['tools'] = listOr(body['tools']).map((tool) => without(tool, gone));
  lost.push(...gone.map((name) => `tools.${name}`));
  for (const name of ['system', 'tools', 'messages'])
    if (hasScope(body[name])) {
      changes[name] = withoutScope(name in changes ? changes[name] : body[name]);
      lost.push(`${name}.cache_control.scope`);
    }
  return { flags, changes, lost };
}

/** The caller's flags in the cloud's names. */
export const flagsTaken = (taken: CloudFlags, headers: ProviderCall['callerHeaders']): string[] => [
  ...new Set(
    (headers?.['anthropic-beta'] ?? '')
      .split(/\s*,\s*/)
      .flatMap((flag) => (Object.hasOwn(taken, flag) ? (taken[flag] ?? []) : [])),
  ),
];

const without = (tool: unknown, names: readonly string[]): unknown =>
  isObject(tool) ? Object.fromEntries(Object.entries(tool).filter(([name]) => !names.includes(name))) : tool;

/** The scope of a cache mark belongs to a flag that no cloud takes. */
function hasScope(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasScope);
  if (!isObject(value)) return false;
  const mark = value['cache_control'];
  return (isObject(mark) && 'scope' in mark) || hasScope(value['content']);
}

function withoutScope(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutScope);
  if (!isObject(value) || !hasScope(value)) return value;
  const { cache_control: mark, content } = value;
  return {
    ...value,
    ...(content !== undefined && { content: withoutScope(content) }),
    ...(mark !== undefined && { cache_control: without(mark, ['scope']) }),
  };
}
