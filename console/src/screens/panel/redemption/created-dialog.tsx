import { CircleCheck, Download } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { csvText, fileName, saveFile } from '#ui/format/save-file.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDateTime } from '#ui/format/time.ts';

/** Newly created codes, with their common properties. */
export interface CreatedCodes {
  codes: readonly string[];
  name: string;
  quota: number;
  expired_time: number;
}

interface Props {
  created: CreatedCodes;
  onClose: () => void;
}

/** Shows new codes for copying, one or all, and as a file. */
export function CreatedDialog({ created, onClose }: Props) {
  const { t } = useTranslation('redemption');
  const money = useSiteFormat();
  const copyAll = useRef<HTMLButtonElement>(null);
  const { codes, name, quota } = created;
  const count = codes.length;
  const values = { name, each: formatMoney(quota, money), sum: formatMoney(quota * count, money) };
  return (
    <Dialog
      title={t('createdTitle', { count })}
      text={t(count === 1 ? 'createdTextOne' : 'createdText', values)}
      icon={CircleCheck}
      initialFocus={copyAll}
      onClose={onClose}
      footer={(close) => (
        <>
          <span className="mr-auto flex flex-wrap gap-2 max-sm:w-full">
            <Files {...created} />
          </span>
          <Button variant="ghost" onClick={close}>
            {t('done')}
          </Button>
          <CopyButton
            text={codes.join('\n')}
            name={count === 1 ? t('number', { number: 1 }) : t('allCodes')}
            variant="primary"
            size="md"
            ref={copyAll}
          >
            {count === 1 ? t('copy') : t('copyAll', { count })}
          </CopyButton>
        </>
      )}
    >
      <CodeList codes={codes} />
      <p className="mt-2 text-12 text-text3">{t('createdHint', { name })}</p>
    </Dialog>
  );
}

function Files({ codes, name, quota, expired_time: expires }: CreatedCodes) {
  const { t } = useTranslation('redemption');
  const until = expires > 0 ? formatDateTime(expires) : '';
  const table = [
    [t('code'), t('name'), t('credits'), t('expires')],
    ...codes.map((code) => [code, name, quota, until]),
  ];
  return (
    <>
      <Button icon={Download} onClick={() => saveFile(`${fileName(name)}.txt`, `${codes.join('\n')}\n`, 'text/plain')}>
        {t('asText')}
      </Button>
      <Button icon={Download} onClick={() => saveFile(`${fileName(name)}.csv`, csvText(table), 'text/csv')}>
        {t('asTable')}
      </Button>
    </>
  );
}

/** Number of codes that fit on screen in full. */
const fewCodes = 6;

function CodeList({ codes }: Pick<CreatedCodes, 'codes'>) {
  const { t } = useTranslation('redemption');
  const few = codes.length <= fewCodes;
  const rows = Math.ceil(codes.length / 2);
  return (
    <ol
      className="grid max-h-[min(50vh,320px)] gap-x-4 overflow-y-auto rounded-card border border-line bg-sunk p-2 max-sm:grid-flow-row! max-sm:grid-rows-none!"
      style={few ? undefined : { gridAutoFlow: 'column', gridTemplateRows: `repeat(${rows}, auto)` }}
    >
      {codes.map((code, index) => (
        <li key={code} className="flex h-7.5 min-w-0 items-center gap-2 pl-1 max-sm:h-10">
          {codes.length > 1 && (
            <span className={cx('flex-none text-right text-12 text-text3 tabular-nums', few ? 'w-3' : 'w-6')}>
              {index + 1}
            </span>
          )}
          <span className="flex min-w-0 flex-1 font-mono text-12">
            <MiddleCut text={code} tail={12} />
          </span>
          <CopyButton text={code} name={t('number', { number: index + 1 })} />
        </li>
      ))}
    </ol>
  );
}
