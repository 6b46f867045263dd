import { channelStatus, type Trouble } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import { Button } from '#shared/button.tsx';
import { MiddleCut } from '#shared/middle-cut.tsx';
import { formatPercent } from '#shared/number.ts';
import { Status } from '#shared/status.tsx';
import { formatDateTime } from '#shared/time.ts';
import { Tooltip } from '#shared/tooltip.tsx';
import { useTestChannel } from './use-test-channel.ts';

/** A channel in trouble: why, and a way to see whether it still is. */
export function TroubleRow({ trouble: { channel, failed, frozen } }: { trouble: Trouble }) {
  const { t } = useTranslation('dashboard');
  const test = useTestChannel();
  const off = channel.status === channelStatus.testDisabled;
  const reason =
    channel.last_error || (failed > 0 ? t('erringShare', { share: formatPercent(failed, 0) }) : t('noReason'));
  const told =
    channel.last_error && channel.last_error_time > 0 ? `${formatDateTime(channel.last_error_time)} ${reason}` : reason;
  return (
    <li className="flex min-h-13.5 items-center gap-3 border-t border-line py-1.5 pr-3 pl-4">
      <div className="min-w-0 flex-1">
        <MiddleCut text={channel.name} className="text-13" />
        <div className="flex min-w-0 items-center gap-2">
          <span className="flex flex-none">
            <Status
              kind={off ? 'testDisabled' : frozen ? 'frozen' : 'broken'}
              {...(!off && !frozen && { text: t('erring') })}
            />
          </span>
          <Tooltip text={told}>
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
