// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random draws of a case, and smaller ones that fail, too.
#pragma once

#include "Fuzz.hpp"

namespace KokkosContract::Test::Fuzz {

Draw random_draw(const Entry& entry, Random& random);

/// A simpler draw for which `fails` still holds.
Draw minimised(const Entry& entry, Draw draw, const std::function<bool(const Draw&)>& fails);

}  // namespace KokkosContract::Test::Fuzz
