import { failedShare, type Channel, type ChannelTrouble } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { Button } from '#ui/basic/button.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { formatPercent } from '#ui/format/number.ts';
import { Status } from '#ui/feedback/status.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useTestChannel } from './use-test-channel.ts';

export type TroubledChannel = Channel & { trouble: ChannelTrouble };

/** An unhealthy channel with the reason and a test button. */
export function TroubleRow({ channel }: { channel: TroubledChannel }) {
  const { t } = useTranslation('dashboard');
  const test = useTestChannel();
  const { trouble, last_error: error, last_error_time: at } = channel;
  const share = failedShare(trouble);
  const failing = trouble.kind === 'failing';
  const failed = share > 0 ? t('erringShare', { share: formatPercent(share, 0), minutes: trouble.minutes }) : '';
  const reason = (failing && failed) || error || failed || t('noReason');
  const detail = error && at > 0 ? [failed, `${formatDateTime(at)} ${error}`].filter(Boolean).join(' · ') : reason;
  const kind = failing ? (share > 0 ? 'failing' : 'doubtful') : trouble.kind === 'frozen' ? 'frozen' : 'testDisabled';
  return (
    <li className="flex min-h-13.5 items-center gap-3 border-t border-line py-1.5 pr-3 pl-4">
      <ChannelTile type={channel.type} name={channel.name} />
      <div className="min-w-0 flex-1">
        <MiddleCut text={channel.name} className="text-13" />
        <div className="flex min-w-0 items-center gap-2">
          <span className="flex flex-none">
            <Status kind={kind} />
          </span>
          <Tooltip text={detail}>
            <span className="truncate text-13 text-text2">{reason}</span>
          </Tooltip>
        </div>
      </div>
      <Button
        size="sm"
        busy={test.isPending}
        saves
        aria-label={t('testOf', { name: channel.name })}
        onClick={() => test.mutate(channel)}
      >
        {t('test')}
      </Button>
    </li>
  );
}
