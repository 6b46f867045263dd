import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { channelTagApi } from '@relay-hub/contract';
import { channelTypes } from '#api/channel-types.ts';
import { tagRecord } from '#screens/panel/channel/channel-more-api.ts';
import { valuesOf } from '#screens/panel/channel/form/channel-values.ts';
import { TagForm } from './tag-form.tsx';
import { LoadingDrawer } from '#screens/panel/channel/form/loading-drawer.tsx';

export function TagDrawer({ tag, onClose }: { tag: string; onClose: () => void }) {
  const { t } = useTranslation('channelForm');
  const types = useQuery(channelTypes);
  const first = useQuery(tagRecord(tag));
  const members = useQuery({ ...apiQuery(channelTagApi.list, { query: { tag } }), meta: { quiet: true } });
  const count = members.data?.data[0]?.channels;
  if (!types.data || !first.data || count === undefined)
    return <LoadingDrawer title={`${t('form.tagTitle')} ${tag}`} queries={[types, first, members]} onClose={onClose} />;
  return (
    <TagForm
      key={tag}
      tag={tag}
      count={count}
      first={first.data}
      types={types.data}
      start={valuesOf(first.data)}
      onClose={onClose}
    />
  );
}
