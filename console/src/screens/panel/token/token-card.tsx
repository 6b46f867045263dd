import type { Token } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { RowActions } from '#ui/table/table-row.tsx';
import { TokenGroup, TokenKey, TokenLastUse, TokenQuota, TokenStatus } from './token-cells.tsx';
import { UseMenu } from './use-menu.tsx';

interface Props {
  token: Token;
  menu: (token: Token) => MenuEntries;
  onExample: (token: Token) => void;
}

const nameOf = ({ name }: Token) => name;

/** A token on a phone. */
export function TokenCard({ token, menu, onExample }: Props) {
  const { t } = useTranslation('token');
  return (
    <>
      <div className="-mt-1.5 flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-15">{token.name}</span>
        <UseMenu token={token} onExample={onExample} />
        <span className="-mr-2">
          <RowActions row={token} nameOf={nameOf} menu={menu} />
        </span>
      </div>
      <div className="mt-0.5 flex items-center gap-3 text-13">
        <TokenStatus token={token} />
        <span className="min-w-0 truncate">
          <TokenGroup token={token} />
        </span>
        <TokenQuota token={token} className="ml-auto" />
      </div>
      <div className="mt-0.5 -mb-2 flex min-w-0 items-center gap-3 text-13 text-text2">
        <TokenKey token={token} />
        <span className="ml-auto flex-none">
          {token.accessed_time > 0 ? <TokenLastUse token={token} /> : t('unused')}
        </span>
      </div>
    </>
  );
}
