/** The shop in pictures of the payment page, shared by `npm run screenshots` and `npm run payer`. */

export const SAMPLE_SHOP = {
  name: "Northwind Coffee",
  country: "DE",
  creditor_identifier: "DE98ZZZ09999999999",
  address: "Musterstraße 1",
  postal_code: "10115",
  city: "Berlin",
};

export const SAMPLE_PRODUCT = "Roaster's choice, 1 kg";

/** Its hosted page. */
export const SAMPLE_PAGE = {
  name: "Page",
  branding: { primary_color: "#1c3d3a", accent_color: "#b45309" },
  content: {
    headline: {
      en: "Fresh beans, every month",
      de: "Frische Bohnen, jeden Monat",
      fr: "Des grains frais, chaque mois",
      el: "Φρέσκος καφές, κάθε μήνα",
    },
  },
  links: {
    imprint_url: "https://shop.example.com/imprint",
    privacy_url: "https://shop.example.com/privacy",
    support_email: "help@shop.example.com",
  },
  cancel_redirect_url: "https://shop.example.com/cart",
  success_redirect_url: "https://shop.example.com/thanks",
  failure_redirect_url: "https://shop.example.com/sorry",
};
