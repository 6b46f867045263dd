import type { Channel } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { ChannelState } from '#screens/panel/channel/list/channel-status.tsx';

interface Props {
  channel: Channel | undefined;
  copied: Channel | undefined;
  onTag: (tag: string) => void;
}

/** The form's channel, with a link to the form for its whole tag. */
export function FormSubtitle({ channel, copied, onTag }: Props) {
  const { t } = useTranslation('channelForm');
  if (!channel) return t(copied ? 'form.copyText' : 'form.newText', { name: copied?.name ?? '' });
  return (
    <>
      <MiddleCut text={channel.name} /> <span>#{channel.id}</span>
      <span className="max-sm:hidden">
        <ChannelState channel={channel} />
      </span>
      {channel.tag !== '' && (
        <button
          type="button"
          onClick={() => onTag(channel.tag)}
          title={t('form.together', { tag: channel.tag })}
          className="touch min-w-0 rounded-tile text-left text-accent hover:underline"
        >
          {channel.tag}: {t('form.editTogether')}
        </button>
      )}
    </>
  );
}
