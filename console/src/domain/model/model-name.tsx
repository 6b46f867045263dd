import { useTranslation } from 'react-i18next';
import { copyText } from '#ui/format/clipboard.ts';
import { cx } from '#ui/basic/cx.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { OwnerTile } from './owner-tile.tsx';

interface Props {
  model: string;
  /** Name of who makes it; without it the tile shows the model's own initial. */
  owner?: string | undefined;
  icon?: string | undefined;
  /** False where the name stands inside something that is pressed itself. */
  copies?: boolean | undefined;
  className?: string | undefined;
}

/** A model: its maker's tile and its name; a press copies the name. */
export function ModelName({ model, owner, icon, copies = true, className }: Props) {
  const { t } = useTranslation('shared');
  const look = cx('inline-flex max-w-full min-w-0 items-center gap-2', className);
  const content = (
    <>
      <OwnerTile name={owner ?? model} icon={icon} size={20} />
      <MiddleCut text={model} />
    </>
  );
  if (!copies) return <span className={look}>{content}</span>;
  return (
    <button
      type="button"
      onClick={(event) => {
        event.stopPropagation();
        void copyText(model, model);
      }}
      className={cx(look, 'touch rounded-tile text-left hover:text-accent')}
    >
      <span className="sr-only">{t('copy')} </span>
      {content}
    </button>
  );
}
