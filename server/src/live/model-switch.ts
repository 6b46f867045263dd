import type { UserGroup } from '@relay-hub/contract';
import { matcherOf } from './caller-limits.ts';

type Matcher = (model: string) => boolean;
const matchers = new WeakMap<object, { allow: Matcher | undefined; deny: Matcher }>();

/** Whether the operator lets a user group call a model. Channels and prices are not looked at. */
export function mayCall({ model_switch: lists }: Pick<UserGroup, 'model_switch'>, model: string): boolean {
  if (!lists) return true;
  let known = matchers.get(lists);
  if (!known) {
    const { allow, deny } = lists;
    known = { allow: allow.length > 0 ? matcherOf(allow) : undefined, deny: matcherOf(deny) };
    matchers.set(lists, known);
  }
  return !known.deny(model) && (known.allow?.(model) ?? true);
}
