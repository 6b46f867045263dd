import type { ChannelChange, ChannelScope } from '@relay-hub/contract';
import { channelBatchApi, channelStatus, channelTagApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { changeChannels, changeRows, previewChange } from './change-channels.ts';
import { channelColumns } from '#features/channel/channel-record.ts';
import { planFor } from './plan-change.ts';
import { listTags, tagMembers, tagNames, tagRecord, tagRows } from './tag-queries.ts';
import { undoChange } from './undo-channels.ts';
import { updateTag } from './update-tag.ts';

/** Routes that change several channels: by ids, by filter or by tag. */
export function channelBatchRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;
  const change = (scope: ChannelScope, what: ChannelChange, actorId: number) =>
    live.inForce('routes', changeChannels(deps, scope, what, actorId));

  serve(app, deps, channelBatchApi.preview, ({ body }) => previewChange(deps, body.scope, body.change));
  serve(app, deps, channelBatchApi.apply, ({ body }, { viewer }) => change(body.scope, body.change, viewer.id));
  serve(app, deps, channelBatchApi.undo, ({ body }) => live.inForce('routes', undoChange(db, body.undo, now())));

  serve(app, deps, channelBatchApi.remove, async ({ body }, { viewer }) => {
    const { changed } = await change({ ids: body.ids }, { verb: 'delete' }, viewer.id);
    return changed;
  });
  serve(app, deps, channelBatchApi.replaceApiVersion, async ({ body }, { viewer }) => {
    const { changed } = await change({ ids: body.ids }, { verb: 'edit', api_version: body.value }, viewer.id);
    return changed;
  });
  serve(app, deps, channelBatchApi.removeModel, async ({ body }, { viewer }) => {
    const models = { how: 'remove', value: body.value } as const;
    const { changed } = await change({ ids: body.ids }, { verb: 'edit', models }, viewer.id);
    return changed;
  });
  serve(app, deps, channelBatchApi.removeDisabled, async (_, { viewer }) => {
    const { changed } = await live.inForce('routes', removeOff(viewer.id));
    return changed;
  });

  serve(app, deps, channelTagApi.names, () => tagNames(db));
  serve(app, deps, channelTagApi.list, ({ query }) => listTags(db, deps, query));
  serve(app, deps, channelTagApi.get, ({ params }) => tagRecord(db, deps, params.tag));
  serve(app, deps, channelTagApi.members, ({ params }) => tagMembers(db, deps, params.tag));
  serve(app, deps, channelTagApi.update, ({ params, body }, { viewer }) =>
    live.inForce('routes', updateTag(deps, params.tag, body, viewer.id)),
  );
  serve(app, deps, channelTagApi.setPriority, ({ params, body }, { viewer }) =>
    changeTag(params.tag, { verb: 'edit', priority: body.value }, viewer.id),
  );
  serve(app, deps, channelTagApi.setStatus, ({ params }, { viewer }) =>
    changeTag(params.tag, { verb: params.status }, viewer.id),
  );
  serve(app, deps, channelTagApi.remove, ({ params }, { viewer }) =>
    changeTag(params.tag, { verb: 'delete' }, viewer.id),
  );
  serve(app, deps, channelTagApi.removeDisabled, async ({ params }, { viewer }) => {
    await tagRows(db, params.tag);
    return live.inForce('routes', removeOff(viewer.id, params.tag));
  });

  async function changeTag(tag: string, what: ChannelChange, actorId: number) {
    const ids = (await tagRows(db, tag)).map(({ id }) => id);
    return change({ ids }, what, actorId);
  }

  /** Deletes disabled channels, manually or automatically disabled, all or of one tag. */
  function removeOff(actorId: number, tag?: string) {
    return changeRows(db, actorId, now(), {
      find: (trx) => {
        const off = trx
          .selectFrom('channels')
          .where('deleted_time', 'is', null)
          .where('status', 'in', [channelStatus.disabled, channelStatus.testDisabled]);
        return (tag === undefined ? off : off.where('tag', '=', tag)).select(channelColumns).orderBy('id').execute();
      },
      plan: (row) => planFor(row, { verb: 'delete' }, now()),
    });
  }
}
