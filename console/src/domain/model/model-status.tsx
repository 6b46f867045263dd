import type { ModelState } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSite } from '#api/site.ts';
import { statusQuery } from '#api/status-page.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

const dots: Record<Exclude<ModelState, 'quiet'>, string> = {
  fine: 'bg-ok-g',
  degraded: 'bg-warn-g rounded-[2px]',
  failing: 'bg-bad-g rotate-45 rounded-none',
};

/** The state of a model by its calls of the last hour, linked to the status page; nothing where there is none. */
export function ModelStatus({ model }: { model: string }) {
  const { t } = useTranslation('shared');
  const isOn = useSite()?.status_page === true;
  const { data } = useQuery({ ...statusQuery, enabled: isOn });
  const state = data?.models.find(({ name }) => name === model)?.state ?? 'quiet';
  if (!isOn || state === 'quiet') return null;
  const text = t(`modelState_${state}`);
  return (
    <Tooltip text={text}>
      <Link to="/status" aria-label={text} className="touch inline-flex flex-none items-center p-1">
        <span aria-hidden className={cx('size-2 rounded-full', dots[state])} />
      </Link>
    </Tooltip>
  );
}
