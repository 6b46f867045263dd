import type { MailTexts } from '../mail-texts.ts';

export const mail: MailTexts = {
  addressCode: {
    subject: '{site} 電郵驗證碼：{code}',
    before: ['您正在 {site} 驗證這個電郵地址，驗證碼是：'],
    after: ['{minutes} 分鐘內有效，只能使用一次。', '如果不是您本人操作，請忽略這封郵件，不要把驗證碼告訴任何人。'],
  },
  addressTaken: {
    subject: '這個電郵地址在 {site} 已有帳戶',
    before: [
      '有人想在 {site} 使用這個電郵地址，但它已經屬於一個帳戶，所以沒有發送驗證碼。',
      '如果是您本人，請直接登入；忘記密碼可以重新設定。',
    ],
    action: '前往登入',
    after: ['如果不是您本人操作，請忽略這封郵件，您的帳戶沒有任何變化。'],
  },
  loginCode: {
    subject: '{site} 登入驗證碼：{code}',
    before: ['您正在登入 {site}，驗證碼是：'],
    after: [
      '{minutes} 分鐘內有效，只能在要求它的瀏覽器中使用一次。',
      '如果不是您本人操作，請忽略這封郵件，不要把驗證碼告訴任何人。',
    ],
  },
  passwordReset: {
    subject: '重新設定 {site} 的密碼',
    before: ['有人要求為您在 {site} 的帳戶 {username} 重新設定密碼。請用下面的連結設定新密碼：'],
    action: '設定新密碼',
    after: [
      '連結 {minutes} 分鐘內有效，只能使用一次。設定後，所有已登入的裝置都會登出，名下的令牌會停用，之後可以重新啟用。',
      '如果不是您本人操作，請忽略這封郵件，密碼不會改變。',
    ],
  },
  passwordChanged: {
    subject: '{site} 的密碼已更換',
    before: [
      '您在 {site} 的帳戶 {username} 更換了密碼。其他裝置都已登出，系統存取令牌已失效。',
      '停用了 {tokens} 個令牌。仍然需要的，可以重新啟用。',
    ],
    others:
      '密碼以外的登入方式沒有變：通行密鑰 {passkeys} 個，綁定的帳戶 {accounts} 個。其中如有不是您加入的，請在個人設定裏移除。',
    action: '查看令牌',
    after: ['如果不是您本人操作，請立即重新設定密碼，並聯絡網站管理員。'],
  },
  passwordGiven: {
    subject: '管理員更換了您在 {site} 的密碼',
    before: [
      '{site} 的管理員為您的帳戶 {username} 設定了新密碼。所有裝置都已登出，系統存取令牌已失效。',
      '停用了 {tokens} 個令牌。仍然需要的，可以重新啟用。',
    ],
    others:
      '密碼以外的登入方式沒有變：通行密鑰 {passkeys} 個，綁定的帳戶 {accounts} 個。其中如有不是您加入的，請在個人設定裏移除。',
    action: '查看令牌',
    after: ['如果您沒有提出過這個要求，請聯絡網站管理員。'],
  },
  teamInvite: {
    subject: '邀請你加入 {site} 的團隊 {team}',
    before: ['你受邀加入 {site} 的團隊 {team}，成員的呼叫由團隊付費。'],
    action: '查看邀請',
    after: ['連結 7 天內有效，只能使用一次，且帳戶電郵須為本電郵。', '如果與你無關，請忽略本電郵。'],
  },
  lowBalance: {
    subject: '{site} 餘額不足提醒',
    before: ['您在 {site} 的帳戶 {username} 餘額為 {balance}，已低於 {threshold}。餘額用完後，呼叫會被拒絕。'],
    action: '前往充值',
    after: ['充值之前不會再次提醒。'],
  },
  teamLowBalance: {
    subject: '{site} 團隊 {username} 餘額不足',
    before: ['{site} 上的團隊 {username} 餘額為 {balance}，已低於 {threshold}。餘額用完後，成員的呼叫會被拒絕。'],
    action: '檢視團隊',
    after: ['團隊充值之前，不會再次提醒。'],
  },
  planRenews: {
    subject: '{site} 套餐 {plan} 將於 {date} 續期',
    before: ['{site} 帳戶 {username} 的套餐 {plan} 將於 {date} 續期，屆時從餘額扣除 {price}。目前餘額：{balance}。'],
    others: '餘額尚欠 {missing}。請在此之前充值，否則套餐會到期結束。',
    action: '檢視套餐',
    after: ['如不再需要，請在此之前關閉續期。每個週期只發送一封提醒。'],
  },
  limitNear: {
    subject: '{site} 令牌限額即將用完',
    before: ['以下限額已用掉大部分。用完後呼叫會被拒絕，直到重新計算：'],
    action: '檢視令牌',
    after: ['每個限額在每個週期只提醒一次。可以在個人資料關閉這類郵件。'],
  },
  expiryNear: {
    subject: '{site} 的令牌即將過期',
    before: ['以下令牌即將過期，屆時使用它們的程式將無法繼續呼叫：'],
    action: '查看令牌',
    after: ['每個令牌的每個過期時間只會發送一次此電郵。可在個人資料中更改或關閉這類電郵。'],
  },
  channels: {
    subject: '{site} 渠道測試已結束',
    before: ['{site} 的渠道測試已結束：'],
    action: '查看渠道',
    after: [],
  },
  alarm: { subject: '{site} 警報：{title}', before: ['{title}'], action: '查看', after: [] },
  notice: {
    subject: '{site} 發佈了公告',
    before: ['{text}'],
    action: '開啟網站',
    after: ['不想再收到此類電郵：{unsubscribe}'],
  },
  maintenance: {
    subject: '{site}：{start} 至 {end} 維護',
    before: ['{text}', '{start} 至 {end} 期間，API 呼叫會被拒絕。'],
    action: '開啟網站',
    after: ['不想再收到此類電郵：{unsubscribe}'],
  },
  test: { subject: '{site} 測試郵件', before: ['能收到這封郵件，說明 {site} 的發信設定可以使用。'], after: [] },
  events: {
    line: '{line}',
    testDone:
      '渠道測試已結束：{succeeded} 個通過，{failed} 個失敗，{skipped} 個無法測試；停用了 {off} 個，重新啟用了 {on} 個。',
    budgetHour: '令牌 {token}：本小時已用 {used}，限額 {limit}，{resets} 重新計算。',
    budgetFiveHours: '令牌 {token}：這 5 小時已用 {used}，限額 {limit}，{resets} 重新計算。',
    budgetDay: '令牌 {token}：今天已用 {used}，限額 {limit}，{resets} 重新計算。',
    budgetWeek: '令牌 {token}：本週已用 {used}，限額 {limit}，{resets} 重新計算。',
    budgetMonth: '令牌 {token}：本月已用 {used}，限額 {limit}，{resets} 重新計算。',
    requestsDay: '令牌 {token}：今天已請求 {used} 次，限額 {limit} 次，{resets} 重新計算。',
    tokensDay: '令牌 {token}：今天已用 {used} token，限額 {limit}，{resets} 重新計算。',
    tokenExpires: '令牌 {token} 將於 {expires} 過期。',
  },
  linkHint: '如果按鈕無法開啟，請把這個地址複製到瀏覽器：',
  sentBy: '這封郵件由 {site} 自動發送，請勿回覆。',
};
