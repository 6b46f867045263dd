import type { Token } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import { Confirm } from '#ui/overlay/confirm.tsx';

interface Props {
  tokens: readonly Token[];
  remove: (tokens: readonly Token[]) => Promise<unknown>;
  onDone?: (() => void) | undefined;
  onClose: () => void;
}

/** From so many on, the number has to be typed. */
const many = 5;

/** Asks before keys stop working for good. */
export function RemoveTokens({ tokens, remove, onDone, onClose }: Props) {
  const { t } = useTranslation('token');
  const count = tokens.length;
  const one = count === 1;
  const confirm = () => {
    onDone?.();
    const done = remove(tokens);
    // Several take a while and show their progress in a toast.
    return one ? done : void done;
  };
  return (
    <Confirm
      title={t(one ? 'removeTitle' : 'removeTitleMany', { count, name: tokens[0]?.name })}
      text={t(one ? 'removeText' : 'removeTextMany')}
      action={t(one ? 'removeAction' : 'removeActionMany', { count })}
      typeCount={count >= many ? count : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
