/** The kinds of entries that are not what calls cost, as the API's filter takes them. */
export const noCalls = 'topup,redemption,gift,reward,refund,correction';
