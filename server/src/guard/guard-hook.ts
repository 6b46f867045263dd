import type { GuardHook, GuardMark } from '@relay-hub/contract';
import { listOr, objectOr, parseJson } from '#json.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach, type Rules } from '#http/outbound/reach.ts';
import type { Guard } from './guard.ts';

/** Characters of the texts that a service is asked about. */
const MOST_ASKED = 1_000_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** The call, as a service learns it. */
export interface HookCall {
  at: GuardMark['at'];
  request_id: string;
  model: string;
  user_id: number;
  token_id: number;
  group: string;
}

interface HookDeps extends Rules {
  log: { warn(facts: object, message: string): void };
}

/** Asks the services of the rules, one after the other; the texts as they leave them. Notes a refusal in the guard. */
export async function askHooks(
  deps: HookDeps,
  guard: Guard,
  texts: readonly string[],
  call: HookCall,
): Promise<readonly string[]> {
  let checked = texts;
  if (texts.length === 0) return checked;
  for (const { rule, hook } of guard.hooks) {
    const answer = await ask(deps, hook, { type: 'guard.check', rule, ...call, texts: checked });
    if (answer === undefined) {
      deps.log.warn({ rule, request: call.request_id, at: call.at }, 'the service of a guardrail did not answer');
      guard.noteUnchecked(rule, hook.on_failure === 'refuse');
    } else if (answer === 'refuse') guard.noteRefusal(rule);
    else {
      const before = checked;
      checked = answer ?? checked;
      guard.noteMasked(rule, checked.filter((text, at) => text !== before[at]).length);
    }
    if (guard.refusedBy) break;
  }
  texts.forEach((text, at) => {
    const now = checked[at];
    if (now !== undefined && now !== text) guard.replaced.set(text, now);
  });
  return checked;
}

/** The texts after masking; null: they pass; undefined: no valid answer came in time. */
async function ask(
  deps: HookDeps,
  { url, timeout_ms: timeoutMs }: GuardHook,
  question: HookCall & { type: string; rule: string; texts: readonly string[] },
): Promise<readonly string[] | 'refuse' | null | undefined> {
  const { texts } = question;
  if (texts.reduce((sum, text) => sum + text.length, 0) > MOST_ASKED) return undefined;
  try {
    const { status, body } = await fetchGuarded(url, {
      reach: operatorReach(deps),
      proxyReach: operatorReach(deps),
      maxBytes: MOST_BYTES,
      timeoutMs,
      accept: 'application/json',
      request: { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(question) },
    });
    if (status !== 200) return undefined;
    const { action, texts: masked } = objectOr(parseJson(body.toString('utf8')));
    if (action === 'pass') return null;
    if (action === 'refuse') return 'refuse';
    const list = listOr(masked).filter((text) => typeof text === 'string');
    return action === 'mask' && list.length === texts.length ? list : undefined;
  } catch {
    return undefined; // `askHooks` logs the failure
  }
}
