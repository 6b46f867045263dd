import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { channelTypes } from '#api/channel-types.ts';
import { type ChannelQuery } from '#screens/panel/channel/channel-api.ts';

const statuses = { 1: 'statusEnabled', 2: 'statusDisabled', 3: 'statusTestDisabled' } as const;

/** The list's filters as text; empty for all channels. */
export function useFilterSummary(query: ChannelQuery | undefined): string {
  const { t } = useTranslation(['channel', 'shared']);
  const types = useQuery(channelTypes).data;
  if (!query) return '';
  const { keyword, status, type, group, tag, filter_tag, trouble, models, test_model, key, other } = query;
  const word = statuses[status as keyof typeof statuses]; // undefined for an unknown status
  const colon = t('order.colon');
  const parts = [
    keyword && `“${keyword}”`,
    word && t(`shared:${word}`),
    type > 0 && (types?.find((each) => each.type === type)?.title ?? `#${type}`),
    group && `${t('group')}${colon} ${group}`,
    tag && `${t('tag')}${colon} ${tag}`,
    filter_tag === '1' && t('withoutTag'),
    filter_tag === '2' && t('withTag'),
    trouble > 0 && t('troubleOnly'),
    models && `${t('find.models')}${colon} ${models}`,
    test_model && `${t('find.testModel')}${colon} ${test_model}`,
    key && `${t('find.key')}${colon} ${key}`,
    other && `${t('find.other')}${colon} ${other}`,
  ];
  return parts.filter(Boolean).join(', ');
}
