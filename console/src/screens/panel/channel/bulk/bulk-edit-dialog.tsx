import { channelBatchApi, type Channel, type ChannelScope } from '@relay-hub/contract';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import type { ChannelQuery } from '#screens/panel/channel/channel-api.ts';
import { BulkEditInputs } from './bulk-edit-inputs.tsx';
import { changeFields, changeOf, noChange, type BulkEditField, type How } from './bulk-edit-fields.ts';
import { BulkEditPreview } from './bulk-edit-preview.tsx';
import { applyChange, toastChanged } from './channel-actions.ts';
import { filterOf } from '#screens/panel/channel/channel-scope.ts';
import { useFilterSummary } from '#screens/panel/channel/list/use-filter-summary.ts';

interface Props {
  /** The selected channels, or all that a filter finds. */
  channels?: readonly Channel[];
  query?: ChannelQuery;
  /** Offers only these fields; empty: all, each with a checkbox. */
  start?: readonly BulkEditField[];
  how?: How;
  onDone?: () => void;
  onClose: () => void;
}

/** Changes several channels in one step, after a preview of each. */
export function BulkEditDialog({ channels, query, start = [], how = 'add', onDone, onClose }: Props) {
  const { t } = useTranslation('channelBulk');
  const client = useQueryClient();
  const [values, setValues] = useState({ ...noChange, on: start, modelsHow: how });
  // Azure channels are found by their API version.
  const [version, setVersion] = useState('');
  const change = useDeferredValue(changeOf(values));
  const seeks = start.includes('api_version') && query !== undefined;
  const filter = query && { ...filterOf(query), other: seeks ? version.trim() : '' };
  const scope: ChannelScope = filter ? { filter, count: 0 } : { ids: channels?.map(({ id }) => id) ?? [] };
  const preview = useQuery({
    // Without a change the preview still counts the channels.
    ...apiQuery(channelBatchApi.preview, { body: { scope, change: change ?? { verb: 'edit' } } }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { quiet: true },
  });
  const { data } = preview;
  const apply = useMutation({
    mutationFn: async () => {
      if (!change || !data) return undefined;
      return applyChange(filter ? { filter, count: data.count } : scope, change);
    },
    onError: () => void preview.refetch(),
  });
  const summary = useFilterSummary(query);
  const count = data?.count ?? channels?.length ?? 0;
  const changed = change ? (data?.changed ?? 0) : 0;
  const run = (close: () => void) =>
    apply.mutate(undefined, {
      onSuccess: (done) => {
        if (!done) return;
        toastChanged(client, done, t('done', { count: done.changed }));
        onDone?.();
        close();
      },
    });
  return (
    <Dialog
      title={count === 0 && data ? t('titleNone') : t('title', { count })}
      text={query ? `${summary === '' ? t('all') : t('matching', { filter: summary })} · ${t('text')}` : t('text')}
      width={600}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button
            variant="primary"
            busy={apply.isPending}
            disabled={changed === 0 || preview.isPlaceholderData || preview.isFetching}
            onClick={() => run(close)}
          >
            {t('apply', { count: changed })}
          </Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-4">
        <BulkEditInputs
          fields={start.length > 0 ? start : changeFields}
          values={values}
          onChange={setValues}
          version={seeks ? { value: version, onChange: setVersion } : undefined}
        />
        <BulkEditPreview preview={change ? data : undefined} error={preview.error ?? undefined} />
      </div>
    </Dialog>
  );
}
