import { channelTagApi, type ChannelTag } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toastChanged } from '#screens/panel/channel/bulk/channel-actions.ts';
import { NumberCell } from '#screens/panel/channel/list/number-cell.tsx';

/** One priority for all channels of a tag; shows the highest, and the lowest where they differ. */
export function TagPriority({ row }: { row: ChannelTag }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const { tag, priority, lowest_priority: low } = row;
  const save = useMutation({
    mutationFn: (value: number) =>
      call(channelTagApi.setPriority, { params: { tag }, body: { type: 'priority', value } }),
    onSuccess: (done, value) => toastChanged(client, done, t('kin.prioritySaved', { tag, value })),
  });
  return (
    <span className="flex items-center justify-end gap-2">
      {low < priority && (
        <span className="text-12 whitespace-nowrap text-text2">{t('kin.priorityRange', { low })}</span>
      )}
      <NumberCell
        label={t('number.of', { field: t('priority'), name: tag })}
        field={t('priority')}
        value={priority}
        lowest={0}
        onSave={save.mutate}
      />
    </span>
  );
}
