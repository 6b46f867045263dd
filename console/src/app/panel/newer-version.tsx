import { optionApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

const HOUR_MS = 3_600_000;

const look = 'block min-w-0 truncate text-12 text-accent hover:underline';

/** For administrators: a newer version at the source of the settings. Nothing while there is none. */
export function NewerVersion() {
  const { t } = useTranslation();
  const { isRoot } = useSession();
  const { data } = useQuery({ ...apiQuery(optionApi.newerVersion), staleTime: HOUR_MS, meta: { quiet: true } });
  if (!data?.version) return null;
  const text = t('nav.newer', { version: data.version });
  return (
    <Tooltip text={text} repeatsName>
      {isRoot ? (
        <Link to="/panel/setting" search={{ tab: 'other' }} className={look}>
          {text}
        </Link>
      ) : data.address ? (
        <a href={data.address} target="_blank" rel="noreferrer" className={look}>
          {text}
        </a>
      ) : (
        <span className="min-w-0 truncate text-12 text-text2">{text}</span>
      )}
    </Tooltip>
  );
}
