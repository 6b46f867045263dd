import { guardApi, type NewGuardRule } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { patternsOf } from '#guard/guard-patterns.ts';
import { TextScan } from '#guard/text-scan.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { ensureReachable } from '#http/outbound/typed-address.ts';
import { serve } from '#http/serve.ts';
import * as rules from './guard-queries.ts';

export function guardRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;
  const by = ({ username }: { username: string }) => ({ username, now: now() });

  const checkHook = ({ hook }: NewGuardRule): void => {
    if (hook) ensureReachable(hook.url, { field: 'hook.url', reach: operatorReach(deps) });
  };

  serve(app, deps, guardApi.list, ({ query }) => rules.listGuardRules(db, query));
  serve(app, deps, guardApi.get, ({ params }) => rules.getGuardRule(db, params.id));
  serve(app, deps, guardApi.create, ({ body }, { viewer }) => {
    checkHook(body);
    return live.inForce('guard_rules', rules.createGuardRule(db, body, by(viewer)));
  });
  serve(app, deps, guardApi.update, ({ body }, { viewer }) => {
    checkHook(body);
    return live.inForce('guard_rules', rules.updateGuardRule(db, body, by(viewer)));
  });
  serve(app, deps, guardApi.remove, ({ params }) => live.inForce('guard_rules', rules.removeGuardRule(db, params.id)));
  serve(app, deps, guardApi.test, async ({ body: { text, ...searched } }) => {
    const scan = new TextScan([patternsOf(searched)]);
    scan.push(text);
    scan.end();
    let count = 0;
    const masked = scan.take(scan.length, () => count++);
    return { masked, count };
  });
}
