import type { IncomingMessage } from 'node:http';
import { launchApi, launchItems, type LaunchList } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { changeChoices, type LaunchChoices, readChoices } from './launch-choices.ts';
import { launchState } from './launch-state.ts';

/** The checklist "before you open to others". */
export function launchRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;

  serve(app, deps, launchApi.get, async (_, { request }) => listed(await readChoices(db), request.raw));

  serve(app, deps, launchApi.update, async ({ body: { item, skipped, dismissed } }, { request }) => {
    const choices = await changeChoices(db, (before) => {
      const others = before.skipped.filter((each) => each !== item);
      return {
        skipped: item === undefined || skipped === undefined ? before.skipped : skipped ? [...others, item] : others,
        dismissed: dismissed ?? before.dismissed,
      };
    });
    return listed(choices, request.raw);
  });

  async function listed({ skipped, dismissed }: LaunchChoices, request: IncomingMessage): Promise<LaunchList> {
    const state = await launchState(deps, request);
    return {
      dismissed,
      items: launchItems.map((id) => {
        const found = state[id];
        const count = typeof found === 'number' ? found : 0;
        const isDone = typeof found === 'number' ? found === 0 : found;
        return { id, state: isDone ? 'done' : skipped.includes(id) ? 'skipped' : 'open', count };
      }),
    };
  }
}
